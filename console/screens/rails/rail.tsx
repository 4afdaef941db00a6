// One rail account: the connection test, its settings, and the form to disable it.
import type { RailAccount } from '../../../packages/client/src/contract.ts';
import type { ScreenProps, ScreenLocation } from '../../../shared/console.ts';
import { ActForm, Field, FoldedAct } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { Icon } from '../../icons.tsx';
import { Badge, Card, CopyField, Head, Moment, Rows, textsOf } from '../../parts.tsx';
import { findText } from '../../words.ts';
import { RailFields, readRailForm } from './fields.tsx';
import { kindOf, nameOf, PATH, RailCommon, signOf, type Connectors } from './rails.tsx';

type Page = { account: RailAccount; connectors: Connectors };
type Part = { page: ScreenProps<Page> };

const own = ({ params }: ScreenLocation) => ({ railAccountId: params['railAccountId'] ?? '' });

export const rail: Screen = {
  path: `${PATH}/{railAccountId}`,
  needs: 'readRailAccount',
  reads: (opened) => ({
    account: { operation: 'readRailAccount', params: own(opened) },
    connectors: { operation: 'listRailConnectors' },
  }),
  acts: {
    testRail: {
      operation: 'testRailAccount',
      buildCall: (_form, opened) => ({ params: own(opened) }),
      showsResultOnce: true,
    },
    saveRail: {
      operation: 'changeRailAccount',
      buildCall(form, opened) {
        const body = readRailForm(form);
        return typeof body === 'string' ? body : { params: own(opened), body };
      },
    },
    removeRail: {
      operation: 'removeRailAccount',
      buildCall: (_form, opened) => ({ params: own(opened) }),
      resultPath: () => PATH,
    },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { account } = page.data;
    const { text, ...sign } = signOf(account);
    const content = (
      <>
        <Head title={account.label} back={{ href: PATH, text: t['rails.title'] }}>
          <Badge {...sign} text={t[text]} />
        </Head>
        <AccountStatus page={page} />
        <Change page={page} />
      </>
    );
    return { title: account.label, content };
  },
};

/** The rail account's kind, its last successful test, and the result of the current test. */
function AccountStatus({ page }: Part) {
  const t = textsOf(page);
  const { kind, connector, secretsSetAt, verifiedAt, notificationUrl } = page.data.account;
  // The API's `detail` is an English sentence for developers. The console has a text for each result.
  const testResult = page.formResult?.act === 'testRail' ? page.formResult.body : null;
  const isAccepted = testResult?.result === 'ok';
  return (
    <Card>
      <Rows
        rows={[
          [t['rail.kind'], kindOf(t, kind)],
          [t['rail.connector'], nameOf(connector)],
          [t['rail.secrets'], <Moment key="set" at={secretsSetAt} />],
          [t['rail.verified'], verifiedAt ? <Moment key="tried" at={verifiedAt} /> : t['rail.verified.never']],
        ]}
      />
      {testResult && (
        <div class={`notice ${isAccepted ? 'success' : 'danger'}`} role={isAccepted ? 'status' : 'alert'}>
          <Icon name={isAccepted ? 'check' : 'stop'} />
          <p>{findText(t, `rail.test.${testResult.result}`) ?? testResult.result}</p>
        </div>
      )}
      <ActForm page={page} name="testRail" button={t['rail.test']} tone="plain" />
      <p class="small quiet">{t['rail.test.about']}</p>
      <h2>{t['rail.notificationUrl']}</h2>
      <p class="small quiet">{t['rail.notificationUrl.about']}</p>
      <CopyField page={page} text={notificationUrl} label={t['rail.notificationUrl']} />
    </Card>
  );
}

function Change({ page }: Part) {
  const t = textsOf(page);
  const { account, connectors } = page.data;
  const { connector: name, kind, environment, label, priority, status } = account;
  const connector = connectors.data.find((each) => each.name === name);
  const about = { page, act: 'saveRail' };
  return (
    <Card title={t['rail.change']}>
      <ActForm page={page} name={about.act} button={t['rail.save']} tag={page.tags['account']}>
        {Object.entries({ connector: name, kind, environment }).map(([each, value]) => (
          <input key={each} type="hidden" name={each} value={value} />
        ))}
        <Field
          {...about}
          name="status"
          label={t['rail.status']}
          value={status}
          choices={(['active', 'draining', 'disabled'] as const).map((each) => [each, t[`rail.status.${each}`]])}
        />
        {connector && (
          <RailFields {...about} connector={connector} kind={kind} account={account}>
            <RailCommon {...about} label={label} priority={priority} />
          </RailFields>
        )}
      </ActForm>
      <FoldedAct
        page={page}
        name="removeRail"
        title={t['rail.remove']}
        sure={t['rail.remove.sure']}
        button={t['rail.remove']}
        tone="plain danger"
      />
    </Card>
  );
}
