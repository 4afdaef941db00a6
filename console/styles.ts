// The console's only stylesheet. Its exact text determines the CSP hash.
import { pageOnly } from '../checkout/styles.ts';
import text from './console.css?inline';
import poster from './poster.css?inline';
import till from './till.css?inline';

export const styles: string = pageOnly(text) + pageOnly(poster) + pageOnly(till);
