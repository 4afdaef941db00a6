// Shows how many SMS parts a message costs while a person types it. Without JavaScript the next step shows the cost.
import { measureText } from '../../shared/sms-parts.ts';
import type { IslandProps } from './browser.ts';

export type PartsTexts = { count: string; dear: string };

export function Parts({ texts, browser }: { field: string; texts: PartsTexts } & IslandProps) {
  const text = browser?.typed.value ?? '';
  return (
    <p class="small quiet" hidden={!text} role="status">
      {text && sayCost(text, texts)}
    </p>
  );
}

/** Counts the text as it will be sent: in Unicode NFC, with letters and accents joined. */
function sayCost(text: string, { count, dear }: PartsTexts): string {
  const { characters, parts, forcedBy } = measureText(text.normalize('NFC'));
  const counted = count.replace('{characters}', String(characters)).replace('{parts}', String(parts));
  return forcedBy.length > 0 ? `${counted} ${dear.replace('{letters}', forcedBy.slice(0, 12).join(' '))}` : counted;
}
