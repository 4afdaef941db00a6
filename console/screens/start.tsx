// The first screen of a new shop: its payment methods, their obstacles, and the first payment.
import type { Merchant, PaymentMethods as Readiness } from '../../packages/client/src/contract.ts';
import type { Act, ScreenProps } from '../../shared/console.ts';
import { ActForm, Field } from '../form.tsx';
import { Icon } from '../icons.tsx';
import type { Screen } from '../layout.tsx';
import { Badge, Card, Empty, Head, textsOf, type AnyScreenProps } from '../parts.tsx';
import { fill, findText } from '../words.ts';

const PATH = '/console/start';

/** Null without a merchant, or for a role that does not set up the shop. */
type Page = { readiness: Readiness | null; merchant: Merchant | null };
type Shop = { page: ScreenProps<Page>; readiness: Readiness; merchant: Merchant };
type Method = Readiness['methods'][number];

/** The form that creates a merchant and enters it. The account page has it as well. */
export const CREATE: Act = {
  operation: 'createMerchant',
  buildCall: ({ name = '' }) => ({ body: { name } }),
  once: true,
  switchesToMerchant: ({ merchant }: { merchant: { id: string } }) => merchant.id,
  resultPath: () => PATH,
};

export const start: Screen = {
  path: PATH,
  // A person without a merchant names their shop here.
  needs: 'createMerchant',
  menu: { group: 'charge', text: 'start.title', icon: 'check', isShown: ({ isStarting }) => isStarting },
  live: ['payment', 'reference'],
  reads(_opened, { may }) {
    const isManager = may('updateMerchant');
    return {
      readiness: isManager ? { operation: 'readPaymentMethods' } : null,
      merchant: isManager ? { operation: 'readMerchant' } : null,
    };
  },
  acts: {
    create: CREATE,
    offer: {
      operation: 'updateMerchant',
      buildCall: ({ methods = '' }) => ({ body: { checkoutMethods: methods.split(',') } }),
    },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { readiness, merchant } = page.data;
    if (!page.visitor.merchant) return { title: t['account.first'], content: <NameShop page={page} /> };
    const content = (
      <>
        <Head title={t['start.title']} />
        {readiness && merchant ? (
          <Steps page={page} readiness={readiness} merchant={merchant} />
        ) : (
          <Empty text={t['start.others']}>
            <a href="/console">{t['start.home']}</a>
          </Empty>
        )}
      </>
    );
    return { title: t['start.title'], content };
  },
};

/** One question: the name of the shop. */
function NameShop({ page }: { page: AnyScreenProps }) {
  const t = textsOf(page);
  return (
    <>
      <Head title={t['account.first']} />
      <Card>
        <p>{t['account.first.about']}</p>
        <CreateForm page={page} />
        <p class="small quiet">{t['account.first.invited']}</p>
      </Card>
    </>
  );
}

export function CreateForm({ page }: { page: AnyScreenProps }) {
  const t = textsOf(page);
  return (
    <ActForm page={page} name="create" button={t['account.create']}>
      <Field page={page} act="create" name="name" label={t['account.create.name']} maxLength={100} required />
    </ActForm>
  );
}

function Steps(shop: Shop) {
  const { page, readiness, merchant } = shop;
  const t = textsOf(page);
  const { may } = page.visitor;
  return (
    <>
      <div data-live-part="start">
        <FirstPayment {...shop} />
      </div>
      <Card title={t['start.methods']}>
        <ul class="steps">
          {readiness.methods.map((method) => (
            <MethodStep key={method.method} {...shop} method={method} />
          ))}
        </ul>
      </Card>
      <Card title={t['start.shop']}>
        <ul class="steps">
          <LinkStep
            href="/console/settings"
            isDone={!!merchant.brandLogo}
            text={t['start.logo']}
            done={t['start.done']}
          />
          <LinkStep href="/console/settings" isDone={!!merchant.taxId} text={t['start.taxId']} done={t['start.done']} />
          {may('grantAccess') && <LinkStep href="/console/team" text={t['start.team']} />}
        </ul>
      </Card>
    </>
  );
}

const nameAll = (names: string[], { visitor }: AnyScreenProps) =>
  new Intl.ListFormat(visitor.lang, { type: 'conjunction' }).format(names);

/** States whether the shop can charge, and leads to its first payment. */
function FirstPayment({ page, readiness: { methods, hasReceivedMoney } }: Shop) {
  const t = textsOf(page);
  const ready = methods.filter(({ canCharge }) => canCharge).map(({ method }) => t[`charge.${method}`]);
  if (ready.length === 0)
    return (
      <Card>
        <p class="lead">
          <Icon name="alert" tone="warning" /> {t['start.none']}
        </p>
        <p class="quiet">{t['start.none.next']}</p>
      </Card>
    );
  return (
    <Card>
      <p class="lead">
        <Icon name="check" tone="success" /> {fill(t['start.ready'], { methods: nameAll(ready, page) })}
      </p>
      {hasReceivedMoney ? (
        <p class="quiet">{t['start.received']}</p>
      ) : (
        page.visitor.sandbox && <p class="quiet">{t['start.sandbox']}</p>
      )}
      {page.visitor.may('createPayment') && (
        <a class="button" href="/console/charge">
          {t[hasReceivedMoney ? 'start.charge' : 'start.charge.first']}
        </a>
      )}
      {page.visitor.may('createLink') && <a href="/console/links">{t['start.link']}</a>}
    </Card>
  );
}

function MethodStep({
  page,
  readiness,
  method: { method, canCharge, obstacles, isOffered },
}: Shop & { method: Method }) {
  const t = textsOf(page);
  const [obstacle = ''] = obstacles;
  const [tone, icon, state] = canCharge
    ? (['success', 'check', 'start.can'] as const)
    : isOffered
      ? (['warning', 'alert', 'start.cannot'] as const)
      : (['quiet', 'close', 'start.aside'] as const);
  return (
    <li>
      <span class="step">
        <strong>{t[`charge.${method}`]}</strong>
        <Badge icon={icon} tone={tone} text={t[state]} />
      </span>
      <p class="small quiet">
        {canCharge ? t[`start.about.${method}`] : (findText(t, `start.why.${obstacle}`) ?? t['start.why.other'])}
      </p>
      {!canCharge && (
        <div class="ways-on">
          {isOffered && <WaysOn page={page} />}
          <Offer page={page} readiness={readiness} method={method} isOffered={isOffered} />
        </div>
      )}
    </li>
  );
}

/** The ways to connect a method: a contract of the shop's own, or the operator. */
function WaysOn({ page }: { page: AnyScreenProps }) {
  const t = textsOf(page);
  const { may, operatorContact } = page.visitor;
  return (
    <>
      {may('addRailAccount') ? (
        <a class="button plain" href="/console/rails?new">
          {t['connect.add']}
        </a>
      ) : (
        <span class="small">{t['start.ask']}</span>
      )}
      <span class="small">
        {operatorContact ? (
          <>
            {t['start.operator']} <Contact text={operatorContact} />
          </>
        ) : (
          t['start.operator.unnamed']
        )}
      </span>
    </>
  );
}

/** The operator's contact as a link, if the text is an e-mail address, a phone number or a web address. */
function Contact({ text }: { text: string }) {
  const href = contactHref(text);
  return href ? <a href={href}>{text}</a> : <>{text}</>;
}

function contactHref(text: string): string | null {
  if (/^[^\s@/]+@[^\s@/]+\.[^\s@/]+$/.test(text)) return `mailto:${text}`;
  if (/^https:\/\/\S+$/.test(text)) return text;
  return /^\+?[\d\s]{9,}$/.test(text) ? `tel:${text.replaceAll(/\s/g, '')}` : null;
}

type OfferProps = Pick<Shop, 'page' | 'readiness'> & Pick<Method, 'method' | 'isOffered'>;

/** Sets a method aside, or offers it again. A shop offers at least one method. */
function Offer({ page, readiness, method, isOffered }: OfferProps) {
  const t = textsOf(page);
  const offered = readiness.methods.filter((each) => (each.method === method ? !isOffered : each.isOffered));
  if (offered.length === 0) return null;
  return (
    <ActForm
      page={page}
      name="offer"
      button={t[isOffered ? 'start.setAside' : 'start.offer']}
      tone="plain"
      tag={page.tags['merchant']}
    >
      <input type="hidden" name="methods" value={offered.map((each) => each.method).join(',')} />
    </ActForm>
  );
}

type LinkStepProps = { href: string; text: string; isDone?: boolean; done?: string };

function LinkStep({ href, text, isDone = false, done = '' }: LinkStepProps) {
  return (
    <li>
      <span class="step">
        <a href={href}>{text}</a>
        {isDone && <Badge icon="check" tone="success" text={done} />}
      </span>
    </li>
  );
}
