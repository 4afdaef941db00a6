// What the server asks of the pages behind mailed links: whole documents as text, and the stylesheet they carry.
export { renderAccount, renderAccountMissing, renderAccountTrouble } from './pages.tsx';
export { styles } from './styles.ts';
