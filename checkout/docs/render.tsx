// What the server asks of the API reference: whole documents as text, and the stylesheet they carry.
export { renderDocs, renderDocsTag } from './pages.tsx';
export { styles } from './styles.ts';
