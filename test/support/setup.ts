// Runs before each test file except unit tests.
import { stopAfterFile } from './stop-later.ts';

stopAfterFile();
