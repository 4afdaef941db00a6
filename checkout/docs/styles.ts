// The one stylesheet of the API reference, as the exact text that its CSP hash is made of.
import text from './docs.css?inline';

export const styles: string = text.trim();
