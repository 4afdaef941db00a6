import { describe, expect, test } from 'vitest';
import { splitCells, splitList, splitPhones } from '../../../console/screens/pasted.tsx';
import { NEW_ACTS } from '../../../console/screens/references/new.tsx';
import { readImport } from '../../../console/screens/sms/pasted-contacts.tsx';

describe('splitCells', () => {
  test.each([
    ['1500\tPropina\tAna', ['1500', 'Propina', 'Ana']],
    ['1.500,00; Propina; Março ;', ['1.500,00', 'Propina', 'Março', '']],
    ['1500;;Ana', ['1500', '', 'Ana']],
    ['1500,50,Propina', ['1500,50', 'Propina']],
    ['1500, Propina, 924-000-111', ['1500', 'Propina', '924-000-111']],
    ['Ana,923456789', ['Ana', '923456789']],
    ['"1500,50","Lima, Ana",923456789', ['1500,50', 'Lima, Ana', '923456789']],
    ['1500;"diz ""sim""; e não";x', ['1500', 'diz "sim"; e não', 'x']],
    ['1500;Tubo 5";x', ['1500', 'Tubo 5"', 'x']],
    ['1500\ta;b, c', ['1500', 'a;b, c']],
    ['1500,50', ['1500,50']],
  ])('splits %j into %j', (line, cells) => {
    expect(splitCells(line)).toEqual(cells);
  });
});

describe('splitList', () => {
  test('returns the line of headings apart, and each entry with its number in the text', () => {
    expect(splitList('Montante;Descrição\r\n\r\n1500;Propina\n  \n2000;Bata')).toEqual({
      heading: 'Montante;Descrição',
      lines: [
        { number: 3, text: '1500;Propina' },
        { number: 5, text: '2000;Bata' },
      ],
    });
  });

  test.each(['Nome\tTelemóvel', 'Amount,Description', 'nom;téléphone', '"Nome";"Telefone"'])(
    'takes %j for headings',
    (line) => expect(splitList(line)).toEqual({ heading: line, lines: [] }),
  );

  test.each(['mil;Propina', 'Ana Paulo', ';Propina;Ana', 'Nome 2;923456789'])('takes %j for an entry', (line) =>
    expect(splitList(line)).toEqual({ heading: null, lines: [{ number: 1, text: line }] }),
  );
});

test('splitPhones separates phone numbers at lines, commas and semicolons', () => {
  expect(splitPhones('923 456 789, 924-000-111;\n+244 925000000')).toEqual([
    '923 456 789',
    '924-000-111',
    '+244 925000000',
  ]);
});

test('pasted contacts have name and number in either order, with any separator, below headings', () => {
  const rows = 'Nome;Telemóvel\nAna Paulo;923 456 789\n924-000-111\tRui\n"Lima, Eva",925000000';
  expect(readImport({ rows })).toEqual({
    contactos: [
      { nome: 'Ana Paulo', telefone: '923 456 789' },
      { nome: 'Rui', telefone: '924-000-111' },
      { nome: 'Lima, Eva', telefone: '925000000' },
    ],
  });
});

describe('pasted references', () => {
  const build = (lines: string) => NEW_ACTS.referencesCheck.buildCall({ lines }, { params: {}, query: {} }) as any;

  test('have amounts in every spelling, and may begin with headings', () => {
    const { body } = build('Montante\tDescrição\n1.500\tPropina\n12.500,00\tBata\n1,450.50;x\n1500,5,y\n2 000 Kz');
    expect(body.references.map(({ amount, description }: any) => [amount, description])).toEqual([
      [1500, 'Propina'],
      [12_500, 'Bata'],
      [1450.5, 'x'],
      [1500.5, 'y'],
      [2000, null],
    ]);
  });

  test('are refused with the position of a customer’s phone that is no phone number', () => {
    const { faults } = build('1500;Propina;Ana;924-000-111\n1500;Propina;Rui;12345');
    expect(faults).toEqual([{ pointer: '/references/1/customerTelephone', code: 'invalid_phone' }]);
  });
});
