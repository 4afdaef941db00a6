// Account security: the password, and the second step (TOTP) with its recovery codes.
import type { Profile, TotpEnrolment } from '../../../packages/client/src/contract.ts';
import type { Act, ScreenProps } from '../../../shared/console.ts';
import { ActForm, Field, Folded, FoldedAct } from '../../form.tsx';
import { Badge, Card, CopyField, textsOf, type AnyScreenProps } from '../../parts.tsx';
import { fill } from '../../words.ts';

type Part = { page: ScreenProps<{ profile: Profile }> };

/** Forms whose responses contain secrets. Each response is shown once. */
export const SECURITY_FORMS: Record<'password' | 'enrol' | 'confirm' | 'renew' | 'disable', Act> = {
  password: {
    operation: 'changePassword',
    buildCall: ({ currentPassword = '', password = '' }) => ({ body: { currentPassword, password } }),
  },
  enrol: { operation: 'enrolTotp', buildCall: ({ password = '' }) => ({ body: { password } }), showsResultOnce: true },
  confirm: { operation: 'confirmTotp', buildCall: codeCall, once: true, showsResultOnce: true },
  renew: { operation: 'renewRecoveryCodes', buildCall: codeCall, once: true, showsResultOnce: true },
  disable: { operation: 'disableTotp', buildCall: codeCall },
};

function codeCall({ code = '' }: Record<string, string>) {
  return { body: { code } };
}

export function Safety({ page }: Part) {
  const t = textsOf(page);
  const { mfaEnabled } = page.data.profile;
  const { formResult, refused } = page;
  const isEnrolling = formResult?.act === 'enrol' || refused?.act === 'confirm';
  return (
    <Card title={t['safety.title']}>
      <Folded page={page} act="password" title={t['safety.password']}>
        <ActForm page={page} name="password" button={t['safety.password']}>
          <Secret page={page} act="password" name="currentPassword" label={t['safety.password.current']} />
          <Secret page={page} act="password" name="password" label={t['safety.password.new']} isNew />
          <p class="small quiet">{t['safety.password.about']}</p>
        </ActForm>
      </Folded>
      <h3>{t['safety.steps']}</h3>
      {mfaEnabled ? (
        <IsOn page={page} />
      ) : (
        <>
          <p class="quiet">{t['safety.steps.about']}</p>
          {!isEnrolling && (
            <Folded page={page} act="enrol" title={t['safety.steps.begin']}>
              <ActForm page={page} name="enrol" button={t['safety.steps.go']}>
                <Secret page={page} act="enrol" name="password" label={t['safety.password.yours']} />
              </ActForm>
            </Folded>
          )}
        </>
      )}
    </Card>
  );
}

function IsOn({ page }: Part) {
  const t = textsOf(page);
  const { recoveryCodesLeft } = page.data.profile;
  return (
    <>
      <Badge icon="check" tone="success" text={t['safety.steps.on']} />
      <p class={recoveryCodesLeft < FEW ? 'warning' : 'quiet'}>
        {fill(t['safety.codes.left'], { n: recoveryCodesLeft })}
      </p>
      <FoldedAct
        page={page}
        name="renew"
        title={t['safety.codes.renew']}
        sure={t['safety.codes.renew.sure']}
        button={t['safety.codes.renew']}
      >
        <Code page={page} act="renew" />
      </FoldedAct>
      <FoldedAct
        page={page}
        name="disable"
        title={t['safety.steps.end']}
        sure={t['safety.steps.end.sure']}
        button={t['safety.steps.end']}
        tone="plain danger"
      >
        <Code page={page} act="disable" />
      </FoldedAct>
    </>
  );
}

/** The page suggests new recovery codes if this number of them or fewer remain. */
const FEW = 3;

/** The responses that are shown once, above all other content: the QR code to scan, then the recovery codes. */
export function OneTimeAnswers({ page }: { page: AnyScreenProps }) {
  const { formResult, refused } = page;
  if (formResult?.act === 'enrol') return <Scan page={page} enrolled={formResult.body} />;
  if (refused?.act === 'confirm') return <Scan page={page} enrolled={enrolledIn(refused.typed)} />;
  return formResult ? <Codes page={page} codes={formResult.body.recoveryCodes} /> : null;
}

/** Reads the two-step enrolment back from the refused form. Null if a field does not have the expected format. */
function enrolledIn({ secret = '', otpauthUri = '', qrCode = '' }: Record<string, string>): TotpEnrolment | null {
  const isEnrolment = otpauthUri.startsWith('otpauth://totp/') && qrCode.startsWith('data:image/svg+xml;base64,');
  return isEnrolment ? { secret, otpauthUri, qrCode } : null;
}

/** The form contains the TOTP secret, so that a wrong code shows it again. The server stores no readable copy. */
function Scan({ page, enrolled }: { page: AnyScreenProps; enrolled: TotpEnrolment | null }) {
  const t = textsOf(page);
  return (
    <Card title={t['safety.scan']}>
      {enrolled && (
        <>
          <p>{t['safety.scan.about']}</p>
          <img class="qr" src={enrolled.qrCode} width="220" height="220" alt={t['safety.scan.alt']} />
          <a class="button plain" href={enrolled.otpauthUri}>
            {t['safety.scan.here']}
          </a>
          <CopyField page={page} text={enrolled.secret} label={t['safety.scan.secret']} />
        </>
      )}
      <ActForm page={page} name="confirm" button={t['safety.scan.confirm']}>
        {Object.entries(enrolled ?? {}).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <Code page={page} act="confirm" />
      </ActForm>
    </Card>
  );
}

function Codes({ page, codes }: { page: AnyScreenProps; codes: string[] }) {
  const t = textsOf(page);
  return (
    <Card title={t['safety.codes']}>
      <p>{t['safety.codes.about']}</p>
      <pre tabIndex={0}>{codes.join('\n')}</pre>
      <button type="button" class="plain" data-print hidden>
        {t['safety.codes.print']}
      </button>
    </Card>
  );
}

type SecretProps = { page: AnyScreenProps; act: string; name: string; label: string; isNew?: boolean };

function Secret({ isNew = false, ...field }: SecretProps) {
  const autocomplete = isNew ? 'new-password' : 'current-password';
  const hint = isNew ? { hint: textsOf(field.page)['safety.password.hint'] } : {};
  return <Field {...field} {...hint} type="password" autocomplete={autocomplete} required />;
}

function Code({ page, act }: { page: AnyScreenProps; act: string }) {
  const t = textsOf(page);
  const hint = act === 'confirm' ? t['safety.code.hint'] : t['safety.code.any'];
  const field = { page, act, name: 'code', label: t['safety.code'], hint } as const;
  return <Field {...field} autocomplete="one-time-code" maxLength={40} required />;
}
