--TEST--
The INI entries: their defaults, and who may set them
--FILE--
<?php
$access = [INI_SYSTEM => 'system', INI_SYSTEM | INI_PERDIR => 'system, folder'];
foreach ((new ReflectionExtension('presence'))->getINIEntries() as $name => $value) {
    if (in_array($name, ['presence.segment', 'presence.data_dir'], true)) {
        $value = '(set by the test run)';
    }
    echo $name, ' = ', $value, ' (', $access[ini_get_all('presence')[$name]['access']], ")\n";
}
?>
--EXPECT--
presence.enabled = 1 (system, folder)
presence.segment = (set by the test run) (system)
presence.segment_size = 0 (system)
presence.data_dir = (set by the test run) (system)
presence.store = shm: (system, folder)
presence.key = users:online (system, folder)
presence.window = 5 (system, folder)
presence.retention = 60 (system, folder)
presence.throttle =  (system, folder)
presence.mode = buffered (system, folder)
presence.timeout = 0.2 (system, folder)
presence.on_error = throw (system, folder)
presence.sink =  (system, folder)
presence.flusher = auto (system)
presence.spool_max = 256M (system)
presence.max_series = 8192 (system)
presence.max_visitors = 65536 (system)
