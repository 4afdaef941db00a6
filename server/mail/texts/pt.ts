// The texts of mails in the Portuguese of Angola.
import { rowsOf } from '../../../shared/receipt.ts';
import type { RoleName } from '../../../shared/roles.ts';
import type { LetterTexts } from '../texts.ts';

const ROLES: Record<RoleName, string> = {
  Viewer: 'Consulta',
  Cashier: 'Caixa',
  Developer: 'Programador',
  Administrator: 'Administrador',
  Owner: 'Proprietário',
};

const greet = (name: string) => (name ? `Olá, ${name}.` : 'Olá.');
const NOT_YOU = 'Se não foi você, recupere já o acesso à sua conta e avise quem administra a sua loja.';

export const pt: LetterTexts = {
  verify: ({ firstName, link }) => ({
    subject: 'Confirme o seu e-mail',
    greeting: greet(firstName),
    paragraphs: ['A sua conta no Balcão está quase pronta. Falta confirmar que este e-mail é seu.'],
    button: { label: 'Confirmar o e-mail', link },
    closing: [
      'O link vale 24 horas.',
      'Se não criou esta conta, ignore este e-mail: sem confirmação, ninguém a pode usar.',
    ],
  }),
  registered: ({ firstName, link }) => ({
    subject: 'Já tem uma conta no Balcão',
    greeting: greet(firstName),
    paragraphs: [
      'Alguém tentou criar uma conta com este e-mail, que já tem uma. Nada mudou: inicie sessão com a sua ' +
        'palavra-passe.',
    ],
    button: { label: 'Esqueci-me da palavra-passe', link },
    closing: ['Se não foi você, ignore este e-mail.'],
  }),
  reset: ({ firstName, link }) => ({
    subject: 'Escolha uma nova palavra-passe',
    greeting: greet(firstName),
    paragraphs: ['Pediu para recuperar o acesso à sua conta. Escolha agora uma nova palavra-passe.'],
    button: { label: 'Escolher a palavra-passe', link },
    closing: [
      'O link vale 1 hora e serve uma só vez.',
      'Se não o pediu, ignore este e-mail: a sua palavra-passe continua a mesma.',
    ],
  }),
  passwordChanged: ({ firstName }) => ({
    subject: 'A sua palavra-passe foi mudada',
    greeting: greet(firstName),
    paragraphs: ['A palavra-passe da sua conta no Balcão acaba de ser mudada.', NOT_YOU],
    closing: [],
  }),
  invite: ({ merchant, role, link }) => ({
    subject: `Convite para ${merchant}`,
    greeting: greet(''),
    paragraphs: [
      `Tem agora acesso a ${merchant} no Balcão, com a função ${ROLES[role]}.`,
      'Para o usar, indique o seu nome e escolha uma palavra-passe.',
    ],
    button: { label: 'Aceitar o convite', link },
    closing: ['O convite vale 30 dias.', 'Se não o esperava, ignore este e-mail: nada acontece.'],
  }),
  granted: ({ merchant, role, link }) => ({
    subject: `Tem acesso a ${merchant}`,
    greeting: greet(''),
    paragraphs: [
      `Tem agora acesso a ${merchant} no Balcão, com a função ${ROLES[role]}.`,
      'Inicie sessão com a conta que já tem: passa a poder escolher esta loja.',
    ],
    button: { label: 'Abrir a consola', link },
    closing: ['O convite vale 30 dias.', 'Se não o esperava, ignore este e-mail: nada acontece.'],
  }),
  mfaEnabled: ({ firstName }) => ({
    subject: 'A verificação em dois passos está ligada',
    greeting: greet(firstName),
    paragraphs: [
      'A sua conta no Balcão pede agora, além da palavra-passe, um código do seu telemóvel.',
      'Guarde os códigos de recuperação num lugar seguro: servem se perder o telemóvel.',
      NOT_YOU,
    ],
    closing: [],
  }),
  mfaDisabled: ({ firstName }) => ({
    subject: 'A verificação em dois passos foi desligada',
    greeting: greet(firstName),
    paragraphs: ['A sua conta no Balcão volta a pedir só a palavra-passe.', NOT_YOU],
    closing: [],
  }),
  recoveryCodeUsed: ({ firstName, left }) => ({
    subject: 'Foi usado um código de recuperação',
    greeting: greet(firstName),
    paragraphs: [
      'Alguém iniciou sessão na sua conta no Balcão com um código de recuperação, em vez do código do telemóvel.',
      left === 0
        ? 'Era o último. Ligue de novo a verificação em dois passos para receber outros.'
        : `${left === 1 ? 'Resta 1 código' : `Restam ${left} códigos`}. Cada um serve uma só vez.`,
      NOT_YOU,
    ],
    closing: [],
  }),
  notices: ({ merchant, title, messages, more, link, settingsLink }) => ({
    subject: more + messages.length > 1 ? `${title} (${more + messages.length})` : title,
    greeting: `Na sua loja ${merchant}:`,
    paragraphs: [...messages, ...(more > 0 ? [`E mais ${more} como ${more === 1 ? 'este' : 'estes'}.`] : [])],
    button: { label: 'Abrir no Balcão', link },
    closing: ['Se acontecer outra vez, o próximo e-mail sobre isto segue daqui a uma hora.'],
    settings: { text: 'Escolha na sua conta que avisos recebe por e-mail:', link: settingsLink },
  }),
  receipt: ({ receipt }) => ({
    subject: `Comprovativo de ${receipt.shop}`,
    greeting: greet(''),
    paragraphs: [`${receipt.shop} enviou-lhe o comprovativo do seu pagamento.`],
    rows: rowsOf(receipt),
    closing: [receipt.note, 'Se não fez este pagamento, ignore este e-mail.'],
  }),
};
