// What people answer to a message, and which of it stops or starts a merchant's messages.
import { expect, test } from 'vitest';
import { readWish } from '../../../server/sms/receive.ts';

test.each([
  'PARAR',
  'parar',
  'Parar!',
  'Parar, por favor',
  'Pare de mandar isto',
  'STOP',
  'stop.',
  ' «Stop» ',
  'ＰＡＲＡＲ',
  'Para!',
  'Pára',
  'sair',
  'Cancelar.',
  'STOP 2026',
])('%j stops', (text) => {
  expect(readWish(text)).toBe('stop');
});

test.each(['INICIAR', 'Iniciar!', 'start', 'Voltar'])('%j starts again', (text) => {
  expect(readWish(text)).toBe('start');
});

test.each([
  '',
  '?!',
  'Obrigado',
  'Não quero parar',
  'Parabéns!',
  'Para amanhã, pode ser?',
  'Cancelar encomenda 5',
  'Sair daqui a pouco',
  'Voltar a ligar, por favor',
  'Start amanhã',
  'stopp',
])('%j is neither', (text) => {
  expect(readWish(text)).toBe(null);
});
