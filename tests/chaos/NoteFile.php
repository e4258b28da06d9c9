<?php
declare(strict_types=1);

/**
 * What one process writes down, in a file of its own. Each note is one write(2) to the end of the file, so a kill leaves it
 * there or not, and nothing that was noted is lost with the process.
 */
abstract class NoteFile
{
    /** @var resource */
    private readonly mixed $file;

    final public function __construct(string $path)
    {
        $file = fopen($path, 'a') ?: throw new RuntimeException("cannot open $path");
        stream_set_write_buffer($file, 0);
        $this->file = $file;
    }

    /** That of this process. A name that comes back is no harm: notes are only ever appended. */
    public static function own(string $folder, string $kind): static
    {
        return new static("$folder/$kind-" . getmypid());
    }

    protected function write(string $note): void
    {
        if (fwrite($this->file, $note) !== strlen($note)) {
            throw new RuntimeException('a note could not be written');
        }
    }
}
