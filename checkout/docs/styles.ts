// The stylesheet of the API reference: the exact text inside the style element, because the CSP contains its hash.
import search from '../ui/search.css?inline';
import text from './docs.css?inline';

export const styles: string = text.trim() + search.trim();
