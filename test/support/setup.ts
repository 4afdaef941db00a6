// Before each test file but those of kind unit.
import { stopAfterFile } from './stop-later.ts';

stopAfterFile();
