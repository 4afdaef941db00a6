// Only one module may write a status, read the environment, calculate with amounts, or read the time.
import { Visitor, type ESTree } from 'vite';
import { describe, expect, test } from 'vitest';
import { INSERT_PAYMENTS } from '../../../server/payments/core/create.sql.ts';
import { listFiles, readSource, type SourceFile } from '../../support/source.ts';

const SERVER = listFiles('{server,sandbox}/**/*.ts')
  .filter((path) => !/^sandbox\/(test|pages|rails)\//.test(path))
  .map((path) => readSource(path));
const PRODUCT = [
  ...SERVER,
  ...listFiles('{shared,checkout,console,widget,sandbox/pages}/**/*.{ts,tsx}').map((path) => readSource(path)),
];
const isMigration = ({ path }: SourceFile) => path.includes('/migrations/');

type Rule = { name: string; owners: RegExp; files: SourceFile[]; find(file: SourceFile): string[] };

/** Checks a rule against all files. It must find the code of `bad` and accept the code of `good`. */
function holdRule(rule: Rule, bad: string[], good: string[]): void {
  test(`no other file ${rule.name}`, () => {
    expect(rule.files.length).toBeGreaterThan(50);
    const others = rule.files.filter((file) => !rule.owners.test(file.path) && !isMigration(file));
    expect(others.flatMap((file) => rule.find(file).map((found) => `${file.path}: ${found}`))).toEqual([]);
  });
  test(`its owner ${rule.name}`, () => {
    const owners = rule.files.filter((file) => rule.owners.test(file.path));
    expect(owners.flatMap((file) => rule.find(file)).length).toBeGreaterThan(0);
  });
  test.each(bad)(`this owner rule refuses %s`, (text) => {
    expect(rule.find(readSource('server/payments/some.ts', text))).not.toEqual([]);
  });
  test.each(good)(`this owner rule accepts %s`, (text) => {
    expect(rule.find(readSource('server/payments/some.ts', text))).toEqual([]);
  });
}

const textOf = ({ text }: SourceFile, node: { start: number; end: number }) => text.slice(node.start, node.end);

/** Returns every string of a file. Template strings keep their placeholders. */
function textsOf(file: SourceFile): string[] {
  const texts: string[] = [];
  new Visitor({
    Literal: (node) => typeof node.value === 'string' && texts.push(node.value),
    TemplateLiteral: (node) => texts.push(textOf(file, node)),
  }).visit(file.program);
  return texts;
}

function propertyOf(node: unknown, name: string): ESTree.ObjectProperty | undefined {
  const { type, properties } = node as ESTree.ObjectExpression;
  if (type !== 'ObjectExpression') return undefined;
  return properties.find(
    (entry): entry is ESTree.ObjectProperty =>
      entry.type === 'Property' && entry.key.type === 'Identifier' && entry.key.name === name,
  );
}

/** The index of the argument with the new values, for each writing method of the ORM. */
const DATA_ARGUMENT: Record<string, number> = {
  nativeUpdate: 2,
  insert: 1,
  insertMany: 1,
  create: 1,
  upsert: 1,
  upsertMany: 1,
  assign: 1,
};

const PAYMENT_SQL =
  /\bupdate\s+(only\s+)?"?payment(s|_references)"?\b[^;]*?\bset\b(?:(?!\bwhere\b)[^;])*?\bstatus"?\s*=|\bmerge\s+into\s+"?payment(s|_references)/i;
const CREATION_SQL = /\binsert\s+into\s+"?payment(s|_references)"?\b/i;

/** Finds writes of a payment's or reference's status: by the ORM, by SQL, by assignment or in a new row. */
function findStatusWrites(file: SourceFile): string[] {
  const found = textsOf(file).filter((text) => PAYMENT_SQL.test(text) || CREATION_SQL.test(text));
  const add = (node: { start: number; end: number }) => found.push(textOf(file, node).slice(0, 80));
  new Visitor({
    CallExpression(node) {
      if (isWriteOfStatus(file, node) || isQueryOfStatus(file, node)) add(node);
    },
    AssignmentExpression(node) {
      const { left } = node;
      if (left.type !== 'MemberExpression' || !/^(\.|\[')?status/.test(textOf(file, left.property))) return;
      if (!/^(this|ctx|res|response|ctx\.res(ponse)?)$/.test(textOf(file, left.object))) add(node);
    },
    TSAsExpression(node) {
      const status = propertyOf(node.expression, 'status');
      const isPayment = /^(Payment|Reference|(EntityData|Partial)<(Payment|Reference)>)$/.test(
        textOf(file, node.typeAnnotation),
      );
      if (status && isPayment && !startsRight(file, status)) add(status);
    },
    VariableDeclarator(node) {
      const type = node.id.typeAnnotation ? textOf(file, node.id.typeAnnotation) : '';
      const status = propertyOf(node.init ?? {}, 'status');
      if (
        status &&
        /^:\s*(Payment|Reference|(EntityData|Partial)<(Payment|Reference)>)$/.test(type) &&
        !startsRight(file, status)
      )
        add(status);
    },
  }).visit(file.program);
  return found;
}

/** The ORM's methods take the table first and the values at the index above. Our own take both after the database. */
function isWriteOfStatus(file: SourceFile, { callee, arguments: given }: ESTree.CallExpression): boolean {
  const isMethod = callee.type === 'MemberExpression';
  const name = textOf(file, isMethod ? callee.property : callee);
  const at = isMethod ? DATA_ARGUMENT[name] : ['insertRow', 'updateRows'].includes(name) ? 2 : undefined;
  const entity = given[isMethod ? 0 : 1];
  const data = at === undefined ? undefined : given[at];
  if (!data || !entity || !/^(payment|reference)s?$/i.test(textOf(file, entity))) return false;
  const values = name === 'updateRows' ? propertyOf(data, 'set')?.value : data;
  return !!values && !!propertyOf(values.type === 'TSAsExpression' ? values.expression : values, 'status');
}

/** True for a typed query that writes a status, or writes values that may contain a status. */
function isQueryOfStatus(file: SourceFile, { callee, arguments: given }: ESTree.CallExpression): boolean {
  const name = callee.type === 'MemberExpression' ? textOf(file, callee.property) : '';
  const table = given[0] ? textOf(file, given[0]) : '';
  if (callee.type === 'Identifier' && callee.name === 'defineStates') return /^'payment(s|_references)'/.test(table);
  if (!['updateTable', 'insertInto', 'mergeInto'].includes(name) || !/^'payment(s|_references)\b/.test(table))
    return false;
  if (name !== 'updateTable') return true;
  const [sets = ''] = file.text.slice(callee.end).split('.where(');
  return /\bstatus\b|\.set\((?!\{[^.]*\}\)|\(eb\) => \(\{ revision: )/.test(sets);
}

/** True for a creation whose status comes from FIRST_STATUS in states.ts. */
function startsRight(file: SourceFile, status: ESTree.ObjectProperty): boolean {
  return /^(FIRST_STATUS(\.\w+|\[)|FIRST_REFERENCE_STATUS$)/.test(textOf(file, status.value));
}

describe('the status of a payment or reference', () => {
  holdRule(
    {
      name: 'writes a payment’s or reference’s status',
      // create.sql.ts writes the first status; `set(set)` of rows.ts sets other columns. The tests below check both.
      owners: /^server\/payments\/(core|reference)\/(states|rows|create\.sql)\.ts$/,
      files: SERVER,
      find: findStatusWrites,
    },
    [
      "em.nativeUpdate(Payment, { id }, { status: 'Paid' });",
      'em.nativeUpdate(Payment, { id }, { failureCode, status: next } as EntityData<Payment>);',
      "em.insert(Payment, { id, status: 'Paid' });",
      "insertRow(db, Payment, { id, status: 'Paid' });",
      "updateRows(db, Payment, { set: { flags, status: 'Paid' }, bump: 'revision' }, 'id = $1', [id]);",
      "em.create(Payment, { status: 'Pending' });",
      "em.assign(payment, { status: 'Paid' });",
      "payment.status = 'Paid';",
      "pool.query(`update payments set due_at = $2, status = 'Paid' where id = $1`);",
      'pool.query(\'update "payments" set "status" = $2\');',
      "pool.query('with x as (select 1)\\nUPDATE payments\\nSET status=$1');",
      "pool.query('insert into payments (id, status) values ($1, $2)');",
      "const payment = { id, status: 'Paid' } as Payment;",
      'const payment: Payment = { id, status: given };',
      "tables.updateTable('payments').set({ status: 'Paid' }).where('id', '=', id);",
      "tables.updateTable('payments as p').set(set).where('id', '=', id);",
      "tables.updateTable('payment_references').set({ dueAt, ...set }).where('id', '=', id);",
      "tables.insertInto('payments').values(row);",
      "const move = defineStates('payments', { pay: { from: [], to: 'Paid', about: '' } });",
      "const set: EntityData<Payment> = { flags, status: 'Paid' };",
      "const set = { flags, status: 'Paid' } as EntityData<Payment>;",
      "updateRows(db, Reference, { set: { status: 'Paid' } }, 'id = $1', [id]);",
      "pool.query(`update payment_references set status = 'Expired' where expires_at < now()`);",
      "const reference = { id, status: 'Paid' } as Reference;",
    ],
    [
      "em.nativeUpdate(Payment, { id, status: 'Pending' }, { dueAt: null });",
      "em.nativeUpdate(Attempt, attempt.id, { status: 'Declined' });",
      "updateRows(db, Attempt, { set: { status: 'Declined' } }, 'id = $1', [id]);",
      "updateRows(db, Payment, { set: { dueAt: null } }, 'id = $1', [id]);",
      "em.find(Payment, { status: 'Pending' });",
      "tables.updateTable('payments').set({ dueAt: null }).where('status', '=', 'Pending');",
      'ctx.status = 200;',
      "pool.query(`update payments set due_at = $2 where id = $1 and status = 'Pending'`);",
      "pool.query(`update attempts set status = 'Sent'`);",
      "if (payment.status === 'Paid') stop();",
      'const payment = { status: FIRST_STATUS[method.start] } as Payment;',
      'const reference = { status: FIRST_REFERENCE_STATUS } as Reference;',
      "updateRows(db, Reference, { set: { dueAt: null } }, 'id = $1', [id]);",
    ],
  );

  test('comes from FIRST_STATUS at creation', () => {
    expect(readSource('server/payments/core/new-payment.ts').text).toMatch(/\bstatus: FIRST_STATUS\[/);
    expect(
      findStatusWrites(readSource('server/payments/core/create.sql.ts')).filter((text) => !CREATION_SQL.test(text)),
    ).toEqual([]);
    expect(INSERT_PAYMENTS.text).toMatch(/insert into payments \(([^)]*\bstatus\b[^)]*)\) select \1 from free/);
    expect(INSERT_PAYMENTS.text).toMatch(
      /insert into payment_references \([^)]*\bstatus\b[^)]*\) select [^;]*?\(f\)\.status\b[^;]*?\s+from free/,
    );
  });

  test.each([
    ['payments/core/rows.ts', 'PaymentChange'],
    ['payments/reference/states.ts', 'ReferenceChange'],
  ])('is not a column that %s in %s sets', (file, change) => {
    const { text } = readSource(`server/${file}`);
    expect(text).toMatch(new RegExp(`type ${change} = Omit<[^;]*'status'`));
    const changed = [
      ...text.matchAll(
        /prepared\(\s*\(tables, [^)]*\) =>\s+tables\s+\.updateTable\('payment(?:s|_references)'\)\s+\.set\(set\)/g,
      ),
    ];
    expect(changed.length).toBeGreaterThan(0);
    for (const [declared] of changed) expect(declared).toContain(`set: ${change} }`);
    expect([...text.matchAll(/\.set\(set\)/g)]).toHaveLength(
      changed.length + [...text.matchAll(/updateTable\('attempts'\)/g)].length,
    );
  });
});

describe('the environment', () => {
  holdRule(
    {
      name: 'reads the environment',
      owners: /^server\/config\.ts$/,
      files: PRODUCT,
      find(file) {
        const found: string[] = [];
        new Visitor({
          MemberExpression(node) {
            if (/^(globalThis\.)?process(\.env|\['env'\])$/.test(textOf(file, node))) found.push(textOf(file, node));
          },
          ImportDeclaration(node) {
            if (/^(node:)?process$/.test(node.source.value)) found.push(textOf(file, node));
          },
          VariableDeclarator(node) {
            if (node.init && textOf(file, node.init) === 'process') found.push(textOf(file, node));
          },
        }).visit(file.program);
        return found;
      },
    },
    [
      'const port = process.env.PORT;',
      "process['env'].PORT;",
      "import { env } from 'node:process';",
      'const { env } = process;',
    ],
    ['process.exit(1);', "const about = 'process.env';", 'process.argv.slice(2);'],
  );
});

describe('amounts', () => {
  holdRule(
    {
      name: 'calculates with amounts',
      owners: /^shared\/money\.ts$/,
      files: PRODUCT,
      find(file) {
        const found: string[] = [];
        const isAmount = (node: { start: number; end: number }) => /\b(\w*Minor|minor)$/.test(textOf(file, node));
        new Visitor({
          BinaryExpression(node) {
            if (/^([-+%]|\*\*?|\/)$/.test(node.operator) && (isAmount(node.left) || isAmount(node.right)))
              found.push(textOf(file, node));
          },
          AssignmentExpression(node) {
            if (/^[-+*/%]/.test(node.operator) && isAmount(node.left)) found.push(textOf(file, node));
          },
        }).visit(file.program);
        return [...found, ...textsOf(file).filter((text) => /\bamount_(paid_)?minor\s*[-+*/]/i.test(text))];
      },
    },
    [
      'const left = payment.amountMinor - paidMinor;',
      'sumMinor += transaction.amountMinor;',
      'const major = amountMinor / 100;',
      'const minor = 100 * result.minor;',
      "pool.query('update payments set amount_paid_minor = amount_paid_minor + $1');",
    ],
    ['if (payment.amountPaidMinor > 0) stop();', 'const minorVersion = major + 1;', 'addMinor(aMinor, bMinor);'],
  );
});

describe('the time', () => {
  holdRule(
    {
      name: 'reads the time of the machine',
      owners: /^server\/clock\.ts$/,
      files: SERVER,
      find(file) {
        const found: string[] = [];
        new Visitor({
          NewExpression(node) {
            if (textOf(file, node.callee) === 'Date' && node.arguments.length === 0) found.push(textOf(file, node));
          },
          CallExpression(node) {
            if (/^(Date\.now|Date)$/.test(textOf(file, node.callee))) found.push(textOf(file, node));
          },
        }).visit(file.program);
        return [...found, ...textsOf(file).filter((text) => /\b(now\(\)|current_(timestamp|date|time)\b)/i.test(text))];
      },
    },
    [
      'const at = new Date();',
      'const at = Date.now();',
      "pool.query('select now()');",
      'pool.query(`where due_at < current_timestamp`);',
    ],
    ['new Date(createdAt.getTime() + 1);', 'core.clock.now();', 'performance.now();'],
  );
});
