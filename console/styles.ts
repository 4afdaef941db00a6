// The console's only stylesheet. Its exact text determines the CSP hash.
import { pageOnly } from '../checkout/styles.ts';
import text from './console.css?inline';

export const styles: string = pageOnly(text);
