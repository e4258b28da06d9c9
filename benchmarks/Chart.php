<?php
declare(strict_types=1);

/** SVG charts on a logarithmic scale of time, readable on light and dark pages. */
final class Chart
{
    private const WIDTH = 760;
    /** Colours that are told apart on both backgrounds, also by the colour-blind (Okabe and Ito), and the marks that go with them. */
    private const COLORS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7'];
    private const STYLE = '<style>text{font:13px system-ui,sans-serif;fill:#1f2328}.t{font-weight:600;font-size:15px}.s{fill:#59636e;font-size:12px}'
        . '.g{stroke:#d1d9e0;stroke-width:1}.o{fill:#0072b2}.p{fill:#8c959f}'
        . '@media (prefers-color-scheme:dark){text{fill:#f0f6fc}.s{fill:#9198a1}.g{stroke:#3d444d}.o{fill:#56b4e9}.p{fill:#6e7681}}</style>';

    /**
     * A bar for each cost; the first ones are ours.
     *
     * @param array<string, float> $bars label => nanoseconds
     */
    public static function bars(string $title, string $note, array $bars, int $ours): string
    {
        $left = 330;
        $right = self::WIDTH - 80;
        [$low, $high] = self::decades(array_values($bars));
        $x = fn (float $value): float => $left + ($right - $left) * (log10($value) - $low) / ($high - $low);
        $height = 70 + 28 * count($bars) + 26;
        $body = self::vertical_grid($low, $high, $x, 58, $height - 30, $height - 12);
        $at = 0;
        foreach ($bars as $label => $value) {
            $y = 66 + 28 * $at;
            $body .= sprintf('<text x="%d" y="%d" text-anchor="end">%s</text>', $left - 10, $y + 14, self::text($label))
                . sprintf('<rect class="%s" x="%d" y="%d" width="%.1f" height="18" rx="2"/>', $at < $ours ? 'o' : 'p', $left, $y, max(2, $x($value) - $left))
                . sprintf('<text x="%.1f" y="%d">%s</text>', $x($value) + 6, $y + 14, Comparison::time($value));
            ++$at;
        }
        return self::svg($title, $note, $height, $body);
    }

    /**
     * A line for each curve over a logarithmic scale of sizes.
     *
     * @param array<string, array<int, float>> $curves label => [size => nanoseconds]
     */
    public static function lines(string $title, string $note, string $sizes, array $curves): string
    {
        [$left, $right, $top, $bottom] = [80, self::WIDTH - 30, 66 + 22 * count($curves), 430 + 22 * count($curves)];
        [$low, $high] = self::decades(array_merge(...array_map('array_values', array_values($curves))));
        $all = array_merge(...array_map('array_keys', array_values($curves)));
        [$first, $last] = [log10(min($all)), log10(max($all))];
        $x = fn (float $size): float => $left + ($right - $left) * (log10($size) - $first) / max(1e-9, $last - $first);
        $y = fn (float $value): float => $bottom - ($bottom - $top) * (log10($value) - $low) / ($high - $low);
        $body = '';
        for ($decade = $low; $decade <= $high; ++$decade) {
            $body .= sprintf('<line class="g" x1="%1$d" x2="%2$d" y1="%3$.1f" y2="%3$.1f"/>', $left, $right, $y(10 ** $decade))
                . sprintf('<text class="s" x="%d" y="%.1f" text-anchor="end">%s</text>', $left - 8, $y(10 ** $decade) + 4, Comparison::time(10 ** $decade));
        }
        foreach ([10_000, 100_000, 1_000_000] as $size) {
            $body .= sprintf('<text class="s" x="%.1f" y="%d" text-anchor="middle">%s</text>', $x($size), $bottom + 20, number_format($size));
        }
        $body .= sprintf('<text class="s" x="%d" y="%d" text-anchor="middle">%s</text>', ($left + $right) / 2, $bottom + 40, self::text($sizes));
        $at = 0;
        foreach ($curves as $label => $points) {
            $color = self::COLORS[$at % count(self::COLORS)];
            $places = [];
            $marks = '';
            foreach ($points as $size => $value) {
                $places[] = sprintf('%.1f,%.1f', $x($size), $y($value));
                $marks .= self::mark($at, $x($size), $y($value), $color);
            }
            $body .= sprintf('<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>', implode(' ', $places), $color) . $marks
                . self::mark($at, $left + 6, 62 + 22 * $at, $color)
                . sprintf('<text x="%d" y="%d">%s</text>', $left + 20, 66 + 22 * $at, self::text(sprintf('%s: %s to %s', $label, Comparison::time(min($points)), Comparison::time(max($points)))));
            ++$at;
        }
        return self::svg($title, $note, $bottom + 52, $body);
    }

    private static function mark(int $kind, float $x, float $y, string $color): string
    {
        return match ($kind % 4) {
            0 => sprintf('<circle cx="%.1f" cy="%.1f" r="4.5" fill="%s"/>', $x, $y, $color),
            1 => sprintf('<rect x="%.1f" y="%.1f" width="8" height="8" fill="%s"/>', $x - 4, $y - 4, $color),
            2 => sprintf('<path d="M%.1f %.1fl5 9h-10z" fill="%s"/>', $x, $y - 5, $color),
            default => sprintf('<path d="M%.1f %.1fl5.5 5.5-5.5 5.5-5.5-5.5z" fill="%s"/>', $x, $y - 5.5, $color),
        };
    }

    /** The powers of ten around the values. @param list<float> $values @return array{int, int} */
    private static function decades(array $values): array
    {
        $low = (int) floor(log10(min($values)));
        return [$low, max($low + 1, (int) ceil(log10(max($values))))];
    }

    /** @param Closure(float): float $x */
    private static function vertical_grid(int $low, int $high, Closure $x, int $top, int $bottom, int $labels): string
    {
        $grid = '';
        for ($decade = $low; $decade <= $high; ++$decade) {
            $at = $x(10 ** $decade);
            $grid .= sprintf('<line class="g" x1="%1$.1f" x2="%1$.1f" y1="%2$d" y2="%3$d"/>', $at, $top, $bottom)
                . sprintf('<text class="s" x="%.1f" y="%d" text-anchor="middle">%s</text>', $at, $labels, Comparison::time(10 ** $decade));
        }
        return $grid;
    }

    private static function svg(string $title, string $note, int $height, string $body): string
    {
        return sprintf('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d" role="img" aria-label="%3$s">', self::WIDTH, $height, self::text($title))
            . self::STYLE . sprintf('<text class="t" x="12" y="24">%s</text><text class="s" x="12" y="44">%s</text>', self::text($title), self::text($note)) . $body . "</svg>\n";
    }

    private static function text(string $text): string
    {
        return htmlspecialchars($text, ENT_XML1 | ENT_QUOTES);
    }
}
