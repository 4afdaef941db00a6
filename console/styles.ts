// The one stylesheet of the console, as the exact text that its CSP hash is made of.
import { pageOnly } from '../checkout/styles.ts';
import text from './console.css?inline';

export const styles: string = pageOnly(text);
