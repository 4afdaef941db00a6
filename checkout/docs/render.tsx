// The API reference's exports for the server: documents as text, and their stylesheet.
export { renderDocs, renderDocsTag } from './pages.tsx';
export { styles } from './styles.ts';
