// Rail accounts for payments and SMS: the list in order of priority, and the form for a new one.
import type { RailAccount, RailConnector } from '../../../packages/client/src/contract.ts';
import type { ScreenProps, ScreenLocation } from '../../../shared/console.ts';
import { ActForm, Field } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { Badge, Card, Empty, Head, Line, textsOf, type AnyScreenProps } from '../../parts.tsx';
import { fill, findText, type ConsoleTextKey, type ConsoleTexts } from '../../words.ts';
import { RailFields, readRailForm } from './fields.tsx';

export const PATH = '/console/rails';

/** The rail connectors that the operator offers. */
export type Connectors = { data: RailConnector[] };
type Page = { accounts: { data: RailAccount[] }; connectors: Connectors | null };

export const rails: Screen = {
  path: PATH,
  needs: 'listRailAccounts',
  menu: { group: 'shop', text: 'rails.title', icon: 'plug' },
  reads: ({ query }) => ({
    accounts: { operation: 'listRailAccounts' },
    connectors: 'new' in query ? { operation: 'listRailConnectors' } : null,
  }),
  acts: {
    addRail: {
      operation: 'addRailAccount',
      buildCall(form) {
        const body = readRailForm(form);
        return typeof body === 'string' ? body : { body: { secrets: {}, ...body } };
      },
      once: true,
      resultPath: ({ id }: { id: string }) => `${PATH}/${id}`,
    },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { accounts, connectors } = page.data;
    if (connectors) return drawNew(page, connectors);
    const content = (
      <>
        <Head title={t['rails.title']}>{accounts.data.length > 0 && <MakeNew page={page} />}</Head>
        {accounts.data.length === 0 ? (
          <Empty text={t['rails.none']}>
            <MakeNew page={page} />
          </Empty>
        ) : (
          <ul class="card list">
            {accounts.data.map((account) => (
              <AccountLine key={account.id} page={page} account={account} />
            ))}
          </ul>
        )}
      </>
    );
    return { title: t['rails.title'], content };
  },
};

function MakeNew({ page }: { page: AnyScreenProps }) {
  return (
    <a class="button" href={`${PATH}?new`}>
      {textsOf(page)['rails.new']}
    </a>
  );
}

function AccountLine({ page, account }: { page: AnyScreenProps; account: RailAccount }) {
  const t = textsOf(page);
  const { id, label, kind, connector, priority } = account;
  const { text, ...sign } = signOf(account);
  const about = `${kindOf(t, kind)} · ${nameOf(connector)} · ${fill(t['rails.order'], { n: priority })}`;
  return <Line id={id} href={`${PATH}/${id}`} title={label} about={about} end={<Badge {...sign} text={t[text]} />} />;
}

/** Finds the chosen connector and kind by the query's `connector.kind`. */
function chosenOf({ query }: ScreenLocation, { data }: Connectors) {
  const [name, kindName] = (query['new'] ?? '').split('.');
  const connector = data.find((each) => each.name === name);
  const kind = connector?.kinds.find((each) => each === kindName);
  return connector && kind ? { connector, kind } : null;
}

function drawNew(page: ScreenProps<Page>, connectors: Connectors) {
  const t = textsOf(page);
  const chosen = chosenOf(page.opened, connectors);
  const back = chosen ? { href: `${PATH}?new`, text: t['rails.choose'] } : { href: PATH, text: t['rails.title'] };
  const title = chosen ? `${nameOf(chosen.connector.name)} · ${kindOf(t, chosen.kind)}` : t['rails.choose'];
  const content = (
    <>
      <Head title={title} back={back} />
      {chosen ? <NewForm page={page} {...chosen} /> : <Choice page={page} connectors={connectors} />}
    </>
  );
  return { title, content };
}

/** The rail connectors to choose from, grouped by kind. */
function Choice({ page, connectors: { data } }: { page: AnyScreenProps; connectors: Connectors }) {
  const t = textsOf(page);
  const kinds = [...new Set(data.flatMap((each) => each.kinds))];
  return (
    <>
      <p class="quiet">{t['rails.choose.about']}</p>
      {kinds.map((kind) => (
        <section key={kind} class="stack">
          <h2>{kindOf(t, kind)}</h2>
          <ul class="card list">
            {data
              .filter((each) => each.kinds.includes(kind))
              .map(({ name }) => (
                <Line
                  key={name}
                  id={`${name}.${kind}`}
                  href={`${PATH}?new=${name}.${kind}`}
                  title={nameOf(name)}
                  about={null}
                  end="›"
                />
              ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function NewForm({ page, connector, kind }: { page: AnyScreenProps; connector: RailConnector; kind: string }) {
  const t = textsOf(page);
  const about = { page, act: 'addRail' };
  return (
    <Card>
      <p class="quiet">{t['rails.new.about']}</p>
      <ActForm page={page} name={about.act} button={t['rails.add']}>
        <input type="hidden" name="connector" value={connector.name} />
        <input type="hidden" name="kind" value={kind} />
        <input type="hidden" name="environment" value={page.visitor.sandbox ? 'test' : 'live'} />
        <RailFields {...about} connector={connector} kind={kind}>
          <RailCommon {...about} label={nameOf(connector.name)} priority={10} />
        </RailFields>
      </ActForm>
    </Card>
  );
}

/** The fields of every rail account: its label and its priority. */
export function RailCommon({ page, act, label, priority }: CommonProps) {
  const t = textsOf(page);
  return (
    <>
      <Field page={page} act={act} name="label" label={t['rail.label']} value={label} maxLength={60} required />
      <Field
        page={page}
        act={act}
        name="priority"
        label={t['rail.priority']}
        hint={t['rail.priority.hint']}
        value={String(priority)}
        inputmode="numeric"
      />
    </>
  );
}

type CommonProps = { page: AnyScreenProps; act: string; label: string; priority: number };

/** The names of the providers as written in their contracts. */
const NAMES: Record<string, string> = {
  appypay: 'AppyPay',
  proxypay: 'ProxyPay',
  opg: 'ProxyPay OPG · vPOS',
  kambasms: 'KambaSMS',
  ombala: 'Ombala · GoSMS',
};

export const nameOf = (connector: string) => NAMES[connector] ?? connector;
export const kindOf = (t: ConsoleTexts, kind: string) => findText(t, `rail.kind.${kind}`) ?? kind;

type Sign = Pick<Parameters<typeof Badge>[0], 'icon' | 'tone'> & { text: ConsoleTextKey };

/** The badge of a rail account. An untested account is a warning, because its credentials may be wrong. */
export function signOf({ status, verifiedAt }: RailAccount): Sign {
  if (status === 'disabled') return { icon: 'close', tone: 'quiet', text: 'rail.state.disabled' };
  if (status === 'draining') return { icon: 'clock', tone: 'warning', text: 'rail.state.draining' };
  if (!verifiedAt) return { icon: 'clock', tone: 'warning', text: 'rail.state.untried' };
  return { icon: 'check', tone: 'success', text: 'rail.state.active' };
}
