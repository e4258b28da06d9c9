--TEST--
The API is, to the letter, the promised one
--FILE--
<?php
function describe(string $name): void
{
    $class = new ReflectionClass($name);
    $interfaces = $class->getInterfaceNames();
    sort($interfaces);
    echo $class->isFinal() ? 'final ' : '', $class->isInterface() ? 'interface ' : 'class ', $class->getName();
    echo $class->getParentClass() ? ' extends ' . $class->getParentClass()->getName() : '';
    echo $interfaces ? ' implements ' . implode(', ', $interfaces) : '', "\n";
    foreach ($class->getProperties() as $property) {
        if ($property->class === $class->getName()) {
            echo '  ', implode(' ', Reflection::getModifierNames($property->getModifiers())), ' ', $property->getType(),
                ' $', $property->getName(), ' = ', var_export($property->getDefaultValue(), true), "\n";
        }
    }
    foreach ($class->getMethods() as $method) {
        if ($method->class !== $class->getName()) {
            continue;
        }
        $parameters = array_map(
            fn ($parameter) => implode('', array_map(fn ($attribute) => '#[' . $attribute->getName() . '] ', $parameter->getAttributes()))
                . $parameter->getType() . ' $' . $parameter->getName()
                . ($parameter->isOptional() ? ' = ' . var_export($parameter->getDefaultValue(), true) : ''),
            $method->getParameters(),
        );
        echo '  ', $method->isPrivate() ? 'private ' : '', $method->isStatic() ? 'static ' : '', $method->getName(), '(', implode(', ', $parameters), ')',
            $method->hasReturnType() ? ': ' . $method->getReturnType() : '', "\n";
    }
}
foreach ((new ReflectionExtension('presence'))->getClassNames() as $name) {
    if (!is_subclass_of($name, Exception::class)) {
        describe($name);
    }
}
?>
--EXPECT--
interface Presence\Repository
  persist(string|int $visitorId): void
  purge(): void
  count(?int $minutes = NULL): int
  ids(?int $minutes = NULL): array
final class Counters
  public static ?PDO $db = NULL
  private __construct()
  static connect(#[SensitiveParameter] string $dsn): void
  static available(): bool
  static add(string $name, ?string $argument = NULL, float $value = 1.0): void
  static time(string $name, ?string $argument, callable $work): mixed
  static flush(): int
  static slot(?int $time = NULL): int
  static hash(string $name, ?string $argument, int $slot): string
  static read(string $name, int $since, ?int $until = NULL, int $step = 60, ?string $argument = NULL): array
  static pending(): array
  static install(): void
  static status(): array
final class Presence implements Countable, Presence\Repository
  __construct(#[SensitiveParameter] ?string $store = NULL, array $options = array (
))
  persist(string|int $visitorId): void
  purge(): void
  count(?int $minutes = NULL): int
  ids(?int $minutes = NULL): array
  isOnline(string|int $visitorId, ?int $minutes = NULL): bool
  areOnline(array $visitorIds, ?int $minutes = NULL): array
  lastSeen(string|int $visitorId): ?int
  forget(string|int $visitorId): void
  replace(string|int $from, string|int $to): void
  room(string $name): static
  flush(): void
  status(): array
