// Contacts pasted from a table or read from a file: one name and one number per line, in either order.
import { normalizePhone } from '../../../shared/phone.ts';
import { Field } from '../../form.tsx';
import { textsOf, type AnyScreenProps } from '../../parts.tsx';
import { LinesFile, splitCells, splitLines, WrongLines, type PastedLine } from '../pasted.tsx';

/** Reads a pasted line's name and number. Unclear cells stay unchanged, so that the API reports the fault. */
function readContact({ text }: PastedLine): { nome: string; telefone: string } {
  const cells = splitCells(text);
  const nth = cells.findIndex((cell) => normalizePhone(cell) !== null);
  if (nth < 0) return { nome: cells[0] ?? '', telefone: cells[1] ?? '' };
  return { nome: cells.find((cell, at) => at !== nth && cell !== '') ?? '', telefone: cells[nth] ?? '' };
}

/** The request body of `importSmsContacts`. */
export function readImport({ rows = '', listaId, novaLista }: Record<string, string>): object {
  const list = { ...(listaId && { listaId }), ...(novaLista?.trim() && { novaLista }) };
  return { contactos: splitLines(rows).map(readContact), ...list };
}

/** The text field for pasted contacts, with the refused lines below. */
export function PasteContacts({ page, act }: { page: AnyScreenProps; act: string }) {
  const t = textsOf(page);
  return (
    <>
      <Field
        page={page}
        act={act}
        name="rows"
        pointer="contactos"
        label={t['sms.import.rows']}
        hint={t['sms.import.rows.hint']}
        lines={6}
      />
      <WrongLines page={page} act={act} field="rows" pointer="contactos" split={splitLines} />
    </>
  );
}

/** The file field for contacts, as an alternative to pasted lines. */
export function ContactsFile(about: { page: AnyScreenProps; act: string }) {
  return <LinesFile {...about} name="rows" />;
}
