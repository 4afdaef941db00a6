// The stylesheet of these pages: the exact text inside the style element, because the CSP contains its hash.
import text from './account.css?inline';

export const styles: string = text.trim();
