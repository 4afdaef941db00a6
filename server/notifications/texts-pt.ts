// The texts of merchants' notifications in Portuguese.
import type { Wording } from './texts.ts';

export const PT: Wording = {
  'callback.endpoint_failing': [
    'Os callbacks não estão a chegar',
    'As últimas {failures} tentativas de entrega em {host} falharam. Continuamos a tentar durante 72 horas e nada se ' +
      'perde até lá. Verifique se o seu servidor responde em menos de 10 segundos com 2xx e "Success": true.',
  ],
  'callback.endpoint_recovered': [
    'Os callbacks voltaram a chegar',
    '{host} está outra vez a confirmar os callbacks. O que ficou em espera está a ser entregue; não precisa de fazer ' +
      'nada.',
  ],
  'callback.abandoned': [
    'Callbacks não entregues',
    'Neste dia desistimos de pelo menos um callback, que o seu servidor não confirmou. O dinheiro foi recebido na ' +
      'mesma. Veja quais em GET /api/callbacks?status=Abandoned e volte a enviá-los com POST /api/callbacks/replay.',
  ],
  'webhook.endpoint_failing': [
    'Um webhook está a falhar',
    'As últimas {failures} tentativas de entrega em {host} falharam. Continuamos a tentar durante 72 horas. ' +
      'Verifique se o servidor responde em menos de 10 segundos com 2xx.',
  ],
  'webhook.endpoint_recovered': [
    'Um webhook voltou a funcionar',
    '{host} está outra vez a responder. Os eventos em espera estão a ser entregues; não precisa de fazer nada.',
  ],
  'payment.overpaid': [
    'Pagamento recebido a mais',
    'O pagamento {reference}, de {asked}, recebeu {received}: já entrou mais do que foi pedido. Devolva a diferença, ' +
      'ou combine com o cliente o que fazer dela.',
  ],
  'payment.overpaid.capture': [
    'Autorização cobrada a mais',
    'A autorização {reference}, de {asked}, foi cobrada mais do que uma vez. Compare as capturas com o que vendeu e ' +
      'combine com o cliente a devolução do que está a mais.',
  ],
  'payment.overpaid.hold': [
    'Recebido a mais',
    'No pagamento {reference}, de {asked}, há mais dinheiro do que foi pedido. Consulte o pagamento e combine com o ' +
      'cliente a devolução da diferença.',
  ],
  'payment.amount_mismatch': [
    'Valor recebido diferente do pedido',
    'O pagamento {reference}, de {asked}, recebeu {received}, que não corresponde ao pedido. O dinheiro está ' +
      'registado. Peça ao cliente o que falta ou combine com ele a devolução.',
  ],
  'payment.amount_mismatch.capture': [
    'Captura com valor diferente',
    'Na autorização {reference}, de {asked}, foi cobrado um valor diferente do pedido. Consulte a captura e acerte a ' +
      'diferença com o cliente.',
  ],
  'payment.amount_mismatch.hold': [
    'Autorização com valor diferente',
    'Na autorização {reference}, de {asked}, o banco reservou outro valor: {held}. Só pode capturar até ao valor ' +
      'reservado.',
  ],
  'payment.late': [
    'Pagamento recebido fora de tempo',
    'Chegaram {received} para o pagamento {reference}, de {asked}, depois de este já estar encerrado. O dinheiro é ' +
      'seu. Entregue o que foi comprado ou combine com o cliente a devolução.',
  ],
  'payment.late.capture': [
    'Autorização cobrada fora de tempo',
    'A autorização {reference}, de {asked}, foi cobrada depois de já estar encerrada. O dinheiro é seu. Entregue o ' +
      'que foi comprado ou combine com o cliente a devolução.',
  ],
  'payment.late.hold': [
    'Autorização aprovada fora de tempo',
    'A autorização {reference}, de {asked}, foi aprovada depois de dada como falhada. O valor está reservado: ' +
      'capture-o, ou cancele a autorização para o libertar.',
  ],
  'payment.stuck': [
    'Pagamento sem resposta',
    'Há dias que perguntamos e o prestador não diz o que aconteceu ao pagamento {reference}, de {asked}. Não ' +
      'entregue nem cobre outra vez antes de confirmar: fale com o operador e indique a referência.',
  ],
  'payment.stuck.hold': [
    'Autorização não libertada',
    'O prazo da autorização {reference}, de {asked}, terminou e o prestador recusou libertar o valor reservado. Pode ' +
      'ter sido cobrado por outra via: fale com o operador e indique a referência.',
  ],
  'payment.acquirer_setup': [
    'Uma conta de pagamento está mal configurada',
    'O adquirente recusou o pagamento {reference} porque o contrato, o terminal ou as credenciais da conta ' +
      '«{account}» não estão certos. Enquanto assim for, recusa também os próximos. Corrija a conta e experimente-a; ' +
      'se for do operador, fale com ele.',
  ],
  'refund.failed': [
    'Devolução não feita',
    'A devolução de {amount} do pagamento {reference} não foi feita: o prestador recusou-a, e o cliente não recebeu ' +
      'nada. Tente outra vez, ou devolva o dinheiro por outra via e registe-o aqui como devolução manual.',
  ],
  'refund.stuck': [
    'Devolução sem resposta',
    'O prestador não diz se devolveu {amount} do pagamento {reference}. Não os devolva outra vez, nem por outra via, ' +
      'antes de confirmar: fale com o operador e indique a referência.',
  ],
  'refund.late': [
    'Devolução feita fora de tempo',
    'Foram devolvidos {amount} do pagamento {reference} depois de a devolução ter sido dada como falhada ou ' +
      'cancelada. O cliente já os tem: se entretanto os devolveu por outra via, acerte a diferença com ele.',
  ],
  'refund.excess': [
    'Devolvido a mais',
    'Foram devolvidos {amount} do pagamento {reference}, e com isso já saiu mais do que tinha entrado. Consulte as ' +
      'devoluções deste pagamento e acerte a diferença com o cliente.',
  ],
  'reference.unknown_paid': [
    'Dinheiro numa referência desconhecida',
    'Foram pagos {amount} à entidade {entity}, referência {reference}, que não existe na Balcão. O valor está ' +
      'registado. Fale com o operador e indique a transação {transaction}.',
  ],
  'rail.feed_paused': [
    'Lista de pagamentos em pausa',
    'A conta “{account}” apresenta pagamentos que ninguém consegue usar; {count} ainda não foram guardados. A Balcão ' +
      'lê a lista uma vez por hora até que isso acabe. Os pagamentos que o prestador notifica continuam a ser ' +
      'registados. Confirme a entidade e o endereço da conta com o prestador e teste a conta para continuar já.',
  ],
  'terminal.stuck': [
    'Terminal sem resposta',
    'O prestador não diz se o terminal {terminal} está aberto ou fechado. Volte a abri-lo ou a fechá-lo; se ' +
      'continuar assim, fale com o operador.',
  ],
  'terminal.closed': [
    'Terminal fechado pelo prestador',
    'O terminal {terminal} foi fechado, e não por si. Enquanto estiver fechado não aceita pagamentos. Abra-o outra ' +
      'vez quando quiser continuar a vender.',
  ],
  'sms.balance_low': [
    'Poucas unidades de SMS',
    'Unidades de SMS que ainda tem: {balance}. O que já foi aceite está pago; um envio que precise de mais do que há ' +
      'é recusado por inteiro. Peça mais unidades ao operador.',
  ],
  'invoice.issued': [
    'Extracto de conta {number}',
    'O extracto de conta de {month} está pronto: {total}, com IVA. É um documento sem valor fiscal; encontra-o em ' +
      'PDF junto da sua subscrição.',
  ],
  'access.granted': [
    'Novo acesso à sua conta',
    'Foi dado a {email} acesso como {role}. Se não foi combinado, retire esse acesso já.',
  ],
  'access.changed': ['Acesso alterado', '{email} tem agora acesso como {role}. Se não foi combinado, mude-o já.'],
  'access.clients_left': [
    'Credenciais conhecidas por quem já não tem acesso',
    '{email} já não tem acesso, mas conhece o segredo de credenciais que ainda funcionam: {clients}. Mude-lhes o ' +
      'segredo ou revogue-as.',
  ],
  'settlement.difference': [
    'Contas que não batem com o prestador',
    'O período {period} da conta «{account}» não está igual nos livros do prestador e aqui. Movimentos que diferem: ' +
      '{count}. Veja quais no fecho desse período antes de o dar por certo, e fale com o operador sobre o que não ' +
      'souber explicar.',
  ],
  'link.oversold': [
    'Vendido a mais por um link',
    'O link «{title}» tinha {stock} e já recebeu pagamentos de {paid}: chegou dinheiro depois de o lugar ter sido ' +
      'dado a outra pessoa. O dinheiro é seu. Entregue o que foi comprado ou devolva-o.',
  ],
  'client.created': [
    'Novas credenciais de acesso',
    'Foram criadas as credenciais «{name}» ({client}) para ligar um sistema à sua conta. Se não foi combinado, ' +
      'revogue-as já.',
  ],
};
