// The parts of every screen: merchant and amount, the state, and the message about a lost network.
import { HEADING_ID } from '../announce.ts';
import type { ScreenName } from '../screen.ts';
import { Icon } from './Icon.tsx';
import { Ring } from './Ring.tsx';
import { VERBATIM, type Scene } from './scene.ts';

export function Payee({ scene, look }: { scene: Scene; look?: string }) {
  const { merchant, description } = scene.state.value.session;
  return (
    <>
      {merchant.hasLogo && <img class="logo" src={scene.imageOf('logo')} alt="" decoding="async" />}
      <p class={look} {...VERBATIM}>
        {merchant.name}
      </p>
      <p class="amount" part={scene.partOf('amount')} {...VERBATIM}>
        {scene.screen.value.amount}
      </p>
      {description && <p class="small quiet">{description}</p>}
    </>
  );
}

/** Screens without an icon, because they show a form, a QR code or digits. */
const PLAIN: ReadonlySet<ScreenName> = new Set(['pay', 'scan', 'reference']);

export function Sign({ scene: { screen, say } }: { scene: Scene }) {
  const { name, icon, tone, countdown } = screen.value;
  if (PLAIN.has(name)) return null;
  if (name === 'wait' && countdown) return <Ring countdown={countdown} label={say('wait.timer')} />;
  return <Icon name={icon} look={`sign ${tone}`} />;
}

/** The title and the texts of a payment's screen. */
export function ScreenTexts({ scene }: { scene: Scene }) {
  const { name, tone, title, count, lines } = scene.screen.value;
  const [Title] = scene.headings;
  return (
    <div class="center">
      <Title id={HEADING_ID} tabIndex={-1} class={name === 'pay' ? tone : ''} part={scene.partOf('title')}>
        {title}
      </Title>
      {name === 'received' && <p role="status">{count}</p>}
      {lines.map((line) => (
        <p>{line}</p>
      ))}
    </div>
  );
}

/** The failure code, which the payer can give to the merchant's support. */
export function FailureCode({ scene: { screen, say } }: { scene: Scene }) {
  return screen.value.code && <p class="small quiet center">{say('note.code')}</p>;
}

export function Offline({ scene: { state, say } }: { scene: Scene }) {
  const { isOffline } = state.value;
  return (
    <p class="offline small warning" role="status">
      {isOffline && <Icon name="broken" />}
      {isOffline && say('note.offline')}
    </p>
  );
}
