// Contacts as they are copied from a table or come in a file: a name and a number a line, in either order.
import { normalizePhone } from '../../../shared/phone.ts';
import { Field } from '../../form.tsx';
import { textsOf, type AnyDrawn } from '../../parts.tsx';
import { LinesFile, splitCells, splitLines, WrongLines } from '../pasted.tsx';

/** A line's name and number; what cannot be told stays as it is, for the API to name what is wrong. */
function readContact(line: string): { nome: string; telefone: string } {
  const cells = splitCells(/[\t;]/.test(line) ? line : line.replaceAll(',', ';')).map((cell) =>
    cell.replace(/^"(.*)"$/, '$1'),
  );
  const nth = cells.findIndex((cell) => normalizePhone(cell) !== null);
  if (nth < 0) return { nome: cells[0] ?? '', telefone: cells[1] ?? '' };
  return { nome: cells.find((cell, at) => at !== nth && cell !== '') ?? '', telefone: cells[nth] ?? '' };
}

/** The body of `importSmsContacts`. */
export function readImport({ rows = '', listaId, novaLista }: Record<string, string>): object {
  const list = { ...(listaId && { listaId }), ...(novaLista?.trim() && { novaLista }) };
  return { contactos: splitLines(rows).map(readContact), ...list };
}

/** Where they are pasted, and what is wrong with them. */
export function PasteContacts({ drawn, act }: { drawn: AnyDrawn; act: string }) {
  const t = textsOf(drawn);
  return (
    <>
      <Field
        drawn={drawn}
        act={act}
        name="rows"
        pointer="contactos"
        label={t['sms.import.rows']}
        hint={t['sms.import.rows.hint']}
        lines={6}
      />
      <WrongLines drawn={drawn} act={act} field="rows" pointer="contactos" split={splitLines} />
    </>
  );
}

/** The same out of a file. */
export function ContactsFile(about: { drawn: AnyDrawn; act: string }) {
  return <LinesFile {...about} name="rows" />;
}
