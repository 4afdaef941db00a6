// The one stylesheet of the pages, as the exact text that their CSP hash is made of.
import text from './ui/page.css?inline';

export const styles: string = text.trim();
