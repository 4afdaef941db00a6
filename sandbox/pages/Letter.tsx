// One message of the inbox, as a card that opens. For an SMS there is a form to reply, as on a phone.
import { normalizePhone, showPhone } from '../../shared/phone.ts';
import type { MessageView } from '../../shared/sandbox.ts';
import { EnvelopeMark } from '../../checkout/ui/Envelope.tsx';
import { Icon } from '../../shared/ui/Icon.tsx';
import { showMoment } from './Arrival.tsx';

type LetterProps = MessageView & {
  nth: number;
  isOpen: boolean;
  /** True if a reply to this SMS was just sent. */
  isReplied: boolean;
  /** The inbox's recipient filter, as typed. */
  reader: string;
};

export function Letter(letter: LetterProps) {
  const { id, kind, to, subject, text, receivedAt, nth, isOpen } = letter;
  return (
    <li class="card" id={id}>
      <article aria-labelledby={`letter-${nth}`}>
        <details open={isOpen} class="letter">
          <summary>
            {kind === 'mail' ? <EnvelopeMark /> : <Icon name="phone" />}
            <span class="sides">
              <span id={`letter-${nth}`}>{kind === 'sms' ? `SMS de ${subject}` : subject}</span>
              <span class="quiet small time">{showMoment(receivedAt)}</span>
            </span>
            <span class="quiet small to">{`Para ${showReader(to)}`}</span>
          </summary>
          <p class="letter-text">{linkAddresses(text)}</p>
          {kind === 'sms' ? <Reply {...letter} /> : null}
        </details>
      </article>
    </li>
  );
}

/** The form for a reply to an SMS. The rail reports the reply to the gateway. */
function Reply({ id, to, nth, isReplied, reader }: LetterProps) {
  return (
    <form class="reply" method="post" action="/sandbox/inbox/reply">
      {isReplied ? (
        <p class="replied small" role="status">
          <Icon name="check" /> Resposta enviada.
        </p>
      ) : null}
      <input type="hidden" name="id" value={id} />
      {reader ? <input type="hidden" name="to" value={reader} /> : null}
      <div class="field">
        <label for={`reply-${nth}`}>{`Responder como ${showReader(to)}`}</label>
        <div class="input">
          <input
            id={`reply-${nth}`}
            name="text"
            type="text"
            autocomplete="off"
            required
            maxLength={1530}
            placeholder="PARAR"
            aria-describedby={`hint-${nth}`}
          />
        </div>
      </div>
      <button class="plain">Responder</button>
      <p id={`hint-${nth}`} class="quiet small">
        Com PARAR ou STOP, este número deixa de receber os SMS desta loja.
      </p>
    </form>
  );
}

/** Formats the phone number of a recipient for people. */
function showReader(to: string): string {
  return normalizePhone(to) ? showPhone(to) : to;
}

/** Turns the URLs of a text into links. */
function linkAddresses(text: string) {
  return text.split(/(https?:\/\/\S+)/).map((part, nth) => (nth % 2 ? <a href={part}>{part}</a> : part));
}
