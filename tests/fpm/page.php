<?php
// The only page of the site under test: does what the request says. Reached over the test's own socket only.
eval($_SERVER['TEST_CODE']);
