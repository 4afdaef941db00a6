// Sharing with customers: WhatsApp, the phone's share sheet, and the text for copying. No third party is requested.
import type { Link, PprReference } from '../packages/client/src/contract.ts';
import { normalizePhone, showPhone } from '../shared/phone.ts';
import { NO_END_DATE, showReference } from '../shared/reference.ts';
import { textsOf, type AnyScreenProps } from './parts.tsx';
import { fill, money, unbroken, untilOf } from './words.ts';

type ShareProps = {
  page: AnyScreenProps;
  /** The title of the message in the phone's share sheet. */
  title: string;
  text: string;
  /** The customer's phone number as typed. An invalid number is ignored. */
  phone?: string | null;
};

/** The buttons that send a text to a customer. Without JavaScript, WhatsApp and the text itself remain. */
export function ShareButtons({ page, title, text, phone }: ShareProps) {
  const t = textsOf(page);
  const to = phone ? normalizePhone(phone) : null;
  return (
    <div class="share">
      <div class="buttons">
        <a class="button" href={whatsAppUrlOf(text, to)} target="_blank" rel="noopener">
          {to ? fill(t['share.whatsapp.to'], { phone: unbroken(showPhone(to)) }) : t['share.whatsapp']}
          <span class="unseen"> {t['share.newTab']}</span>
        </a>
        <button type="button" class="plain" data-share={text} data-title={title} hidden>
          {t['share.sheet']}
        </button>
        <button type="button" class="plain" data-copy={text} data-copied={t['act.copied']} hidden>
          {t['share.copy']}
        </button>
      </div>
      <details class="act">
        <summary>{t['share.text']}</summary>
        <p class="bubble">{text}</p>
      </details>
    </div>
  );
}

/** WhatsApp's address for a message. @param phone E.164, or null: the person chooses the chat in WhatsApp */
export function whatsAppUrlOf(text: string, phone: string | null): string {
  return `https://wa.me/${phone?.slice(1) ?? ''}?text=${encodeURIComponent(text)}`;
}

/** A web address in full, with a link that opens it and a copy button. */
export function Address({ page, url }: { page: AnyScreenProps; url: string }) {
  const t = textsOf(page);
  return (
    <div class="address">
      <a href={url} target="_blank" rel="noopener">
        {url}
      </a>
      <div class="buttons">
        <a class="button plain" href={url} target="_blank" rel="noopener">
          {t['share.open']}
          <span class="unseen"> {t['share.newTab']}</span>
        </a>
        <button type="button" class="plain" data-copy={url} data-copied={t['act.copied']} hidden>
          {t['act.copy']}
        </button>
      </div>
    </div>
  );
}

const linesOf = (lines: (string | null | false | undefined)[]) => lines.filter(Boolean).join('\n');
const merchantOf = ({ visitor }: AnyScreenProps) => visitor.merchant?.name ?? '';

/** The message for a payment link. @param bounds the bounds of an amount that the customer chooses */
export function linkMessage(page: AnyScreenProps, link: Link, bounds: string): string {
  const t = textsOf(page);
  const { title, url, expiresAt, amount, currency } = link;
  const price = amount === null ? [t['share.amount.open'], bounds].filter(Boolean).join(', ') : null;
  return linesOf([
    merchantOf(page),
    title,
    price ?? fill(t['share.amount'], { amount: money(amount ?? 0, currency) }),
    t['share.link.pay'],
    url,
    expiresAt && fill(t['share.link.until'], { when: untilOf(expiresAt) }),
  ]);
}

type SharedReference = Pick<
  PprReference,
  'entity' | 'reference' | 'amount' | 'currency' | 'description' | 'expiresAt' | 'referenceType'
>;

/** The message for a payment reference, with the place where the customer enters it. */
export function referenceMessage(page: AnyScreenProps, shown: SharedReference): string {
  const t = textsOf(page);
  const { entity, reference, amount, currency, description, expiresAt } = shown;
  return linesOf([
    merchantOf(page),
    description,
    fill(t['share.reference.entity'], { entity }),
    fill(t['share.reference.digits'], { reference: showReference(reference) }),
    amount === 0 ? t['share.amount.open'] : fill(t['share.amount'], { amount: money(amount, currency) }),
    expiresAt < NO_END_DATE && fill(t['share.reference.until'], { when: untilOf(expiresAt) }),
    t['share.reference.how'],
  ]);
}
