// The texts of the SMS opt-out page, in every language.
import type { Language } from '../../shared/language.ts';

const pt = {
  'open.title': 'Deixar de receber SMS de {merchant}?',
  'open.line': 'Hoje recebe-os no número que acaba em {end}. Com outras lojas nada muda.',
  'open.button': 'Deixar de receber',
  'refused.title': 'Já não recebe SMS de {merchant}',
  'refused.line': 'O número que acaba em {end} não recebe mais nenhum. Um que já vinha a caminho ainda pode chegar.',
  'refused.button': 'Voltar a receber',
  'missing.title': 'Esta página não existe',
  'missing.line': 'Abra o link tal como veio no SMS, com as maiúsculas e as minúsculas que lá estão.',
};

export type OptOutTexts = typeof pt;

const en: OptOutTexts = {
  'open.title': 'Stop receiving SMS from {merchant}?',
  'open.line': 'You receive them on the number ending in {end}. Nothing changes with other shops.',
  'open.button': 'Stop receiving',
  'refused.title': 'You no longer receive SMS from {merchant}',
  'refused.line': 'No more will be sent to the number ending in {end}. One already on its way may still arrive.',
  'refused.button': 'Receive them again',
  'missing.title': 'This page does not exist',
  'missing.line': 'Open the link exactly as it is in the SMS, with its capital and small letters.',
};

const fr: OptOutTexts = {
  'open.title': 'Ne plus recevoir de SMS de {merchant}\u00a0?',
  'open.line': 'Vous les recevez au numéro qui finit par {end}. Rien ne change avec les autres boutiques.',
  'open.button': 'Ne plus recevoir',
  'refused.title': 'Vous ne recevez plus de SMS de {merchant}',
  'refused.line': 'Le numéro qui finit par {end} n’en recevra plus. Un SMS déjà parti peut encore arriver.',
  'refused.button': 'En recevoir à nouveau',
  'missing.title': 'Cette page n’existe pas',
  'missing.line': 'Ouvrez le lien tel qu’il est dans le SMS, avec ses majuscules et ses minuscules.',
};

export const optOutTexts: Record<Language, OptOutTexts> = { pt, en, fr };
