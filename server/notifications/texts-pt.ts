// The texts of merchants' notifications in the Portuguese of Angola.
import type { Wording } from './texts.ts';

export const PT: Wording = {
  'callback.endpoint_failing': [
    'O seu site não está a receber os callbacks',
    'As últimas {failures} tentativas de entrega em {host} falharam. Continuamos a tentar durante 72 horas e nada se ' +
      'perde até lá. Peça a quem trata do seu site que veja porque não responde.',
  ],
  'callback.endpoint_recovered': [
    'O seu site voltou a receber os callbacks',
    '{host} está outra vez a confirmar os callbacks. Os que ficaram em espera estão a ser entregues: não precisa de ' +
      'fazer nada.',
  ],
  'callback.abandoned': [
    'Callbacks não entregues',
    'Há callbacks deste dia que o seu site não confirmou em 72 horas, e deixámos de tentar. O dinheiro foi recebido ' +
      'na mesma. Abra «Programadores» para ver quais são e enviá-los outra vez.',
  ],
  'webhook.endpoint_failing': [
    'Um webhook está a falhar',
    'As últimas {failures} tentativas de entrega em {host} falharam. Continuamos a tentar durante 72 horas. Peça a ' +
      'quem trata desse sistema que veja porque não responde.',
  ],
  'webhook.endpoint_recovered': [
    'Um webhook voltou a funcionar',
    '{host} está outra vez a responder. Os eventos em espera estão a ser entregues: não precisa de fazer nada.',
  ],
  'payment.overpaid': [
    'Pagamento recebido a mais',
    'O pagamento {reference}, de {asked}, recebeu {received}: já entrou mais do que foi pedido. Devolva a diferença, ' +
      'ou combine com o cliente o que fazer dela.',
  ],
  'payment.overpaid.capture': [
    'Reserva cobrada a mais',
    'A reserva {reference}, de {asked}, foi cobrada mais do que uma vez. Compare o que foi cobrado com o que vendeu ' +
      'e combine com o cliente a devolução do que está a mais.',
  ],
  'payment.overpaid.hold': [
    'Recebido a mais',
    'No pagamento {reference}, de {asked}, há mais dinheiro do que foi pedido. Abra o pagamento e combine com o ' +
      'cliente a devolução da diferença.',
  ],
  'payment.amount_mismatch': [
    'Montante recebido diferente do pedido',
    'O pagamento {reference}, de {asked}, recebeu {received}, que não corresponde ao pedido. O dinheiro está ' +
      'registado. Peça ao cliente o que falta ou combine com ele a devolução.',
  ],
  'payment.amount_mismatch.capture': [
    'Reserva cobrada por outro montante',
    'Na reserva {reference}, de {asked}, foi cobrado um montante diferente do pedido. Abra o pagamento e acerte a ' +
      'diferença com o cliente.',
  ],
  'payment.amount_mismatch.hold': [
    'Reserva de outro montante',
    'No pagamento {reference}, de {asked}, o banco reservou outro montante: {held}. Só pode cobrar até ao montante ' +
      'reservado.',
  ],
  'payment.late': [
    'Pagamento recebido fora de tempo',
    'Chegaram {received} para o pagamento {reference}, de {asked}, depois de este já estar encerrado. O dinheiro é ' +
      'seu. Entregue o que foi comprado ou combine com o cliente a devolução.',
  ],
  'payment.late.capture': [
    'Reserva cobrada fora de tempo',
    'A reserva {reference}, de {asked}, foi cobrada depois de já estar encerrada. O dinheiro é seu. Entregue o que ' +
      'foi comprado ou combine com o cliente a devolução.',
  ],
  'payment.late.hold': [
    'Reserva aprovada fora de tempo',
    'A reserva {reference}, de {asked}, foi aprovada depois de dada como não paga. O montante está reservado: ' +
      'cobre-o, ou cancele a reserva para o libertar.',
  ],
  'payment.stuck': [
    'Pagamento sem resposta',
    'Há dias que perguntamos e o prestador não diz o que aconteceu ao pagamento {reference}, de {asked}. Não ' +
      'entregue nem cobre outra vez antes de confirmar: fale com o operador e indique a referência.',
  ],
  'payment.stuck.hold': [
    'Reserva não libertada',
    'O prazo da reserva {reference}, de {asked}, terminou e o prestador recusou libertá-la. Pode ter sido cobrada ' +
      'por outra via: fale com o operador e indique a referência.',
  ],
  'payment.acquirer_setup': [
    'Um contrato está mal configurado',
    'O prestador recusou o pagamento {reference} porque o contrato, o terminal ou as credenciais de «{account}» não ' +
      'estão certos. Enquanto assim for, recusa também os próximos. Corrija o contrato e experimente-o; se for do ' +
      'operador, fale com ele.',
  ],
  'refund.failed': [
    'Devolução não feita',
    'A devolução de {amount} do pagamento {reference} não foi feita: o prestador recusou-a, e o cliente não recebeu ' +
      'nada. Tente outra vez, ou devolva o dinheiro por outra via e registe-o no pagamento.',
  ],
  'refund.stuck': [
    'Devolução sem resposta',
    'O prestador não diz se devolveu {amount} do pagamento {reference}. Não os devolva outra vez, nem por outra via, ' +
      'antes de confirmar: fale com o operador e indique a referência.',
  ],
  'refund.late': [
    'Devolução feita fora de tempo',
    'Foram devolvidos {amount} do pagamento {reference} depois de a devolução ter sido dada como não feita ou ' +
      'cancelada. O cliente já os tem: se entretanto os devolveu por outra via, acerte a diferença com ele.',
  ],
  'refund.excess': [
    'Devolvido a mais',
    'Foram devolvidos {amount} do pagamento {reference}, e com isso já saiu mais do que tinha entrado. Veja as ' +
      'devoluções deste pagamento e acerte a diferença com o cliente.',
  ],
  'reference.unknown_paid': [
    'Dinheiro numa referência desconhecida',
    'Foram pagos {amount} à entidade {entity}, referência {reference}, que não existe no Balcão. O montante está ' +
      'registado. Fale com o operador e indique a transacção {transaction}.',
  ],
  'rail.feed_paused': [
    'Lista de pagamentos em pausa',
    'O contrato «{account}» apresenta pagamentos que não se conseguem ler; {count} ainda não foram guardados. O ' +
      'Balcão lê a lista uma vez por hora até que isso acabe. Os pagamentos que o prestador comunica continuam a ser ' +
      'registados. Confirme a entidade e o endereço do contrato com o prestador, e experimente-o para continuar já.',
  ],
  'terminal.stuck': [
    'Terminal sem resposta',
    'O prestador não diz se o terminal {terminal} está aberto ou fechado. Volte a abri-lo ou a fechá-lo no ' +
      'sistema da loja. Se continuar assim, fale com o operador.',
  ],
  'terminal.closed': [
    'Terminal fechado pelo prestador',
    'O terminal {terminal} foi fechado, e não por si. Enquanto estiver fechado não aceita pagamentos. Para continuar ' +
      'a vender, abra-o outra vez no sistema da loja, ou peça ao operador.',
  ],
  'sms.balance_low': [
    'Poucos SMS',
    'SMS que ainda tem: {balance}. Os que já foram aceites estão pagos; um envio que precise de mais do que há é ' +
      'recusado por inteiro. Peça mais ao operador.',
  ],
  'invoice.issued': [
    'Extracto mensal {number}',
    'O extracto de {month} está pronto: {total}, com IVA. Não tem valor fiscal. O PDF está em «Plano e extractos».',
  ],
  'access.granted': [
    'Novo acesso à sua loja',
    '{by} deu a {email} acesso à loja, com a função {role}. Se não foi combinado, retire esse acesso já.',
  ],
  'access.granted.own': ['Deu acesso à loja', 'Deu a {email} acesso à loja, com a função {role}.'],
  'access.changed': [
    'Função alterada',
    '{by} mudou a função de {email}, que passa a ser {role}. Se não foi combinado, mude-a já.',
  ],
  'access.changed.own': ['Mudou uma função', 'Mudou a função de {email}, que passa a ser {role}.'],
  'access.revoked': [
    'Acesso retirado',
    '{by} retirou a {email} o acesso à loja, que tinha com a função {role}. Se não foi combinado, dê-lho outra vez.',
  ],
  'access.revoked.own': ['Retirou um acesso', 'Retirou a {email} o acesso à loja, que tinha com a função {role}.'],
  'access.clients_left': [
    'Credenciais conhecidas por quem já não tem acesso',
    '{email} já não tem acesso, mas conhece o segredo de credenciais que ainda funcionam: {clients}. Mude-lhes o ' +
      'segredo ou retire-as.',
  ],
  'settlement.difference': [
    'Um fecho não confere com o prestador',
    'O período {period} do contrato «{account}» não é igual nos registos do prestador e aqui. ' +
      'Movimentos que diferem: ' +
      '{count}. Veja quais no fecho desse período antes de o dar por conferido, e fale com o operador sobre o que ' +
      'não souber explicar.',
  ],
  'link.oversold': [
    'Vendido a mais por um link',
    'O link «{title}» tinha {stock} e já recebeu pagamentos de {paid}: chegou dinheiro depois de o lugar ter sido ' +
      'dado a outra pessoa. O dinheiro é seu. Entregue o que foi comprado ou devolva-o.',
  ],
  'client.created': [
    'Novas credenciais',
    '{by} criou as credenciais «{name}», que ligam um sistema à sua loja. Se não foi combinado, retire-as já.',
  ],
  'client.created.own': ['Criou credenciais', 'Criou as credenciais «{name}», que ligam um sistema à sua loja.'],
  'client.rotated': [
    'Segredo de credenciais mudado',
    '{by} criou um novo segredo para as credenciais «{name}». Quem o tem pode usar a sua loja como elas. Se não foi ' +
      'combinado, retire-as já.',
  ],
  'client.rotated.own': ['Mudou um segredo', 'Criou um novo segredo para as credenciais «{name}».'],
  'client.revoked': [
    'Credenciais retiradas',
    '{by} retirou as credenciais «{name}». O sistema que as usava deixa de poder ligar-se à sua loja.',
  ],
  'client.revoked.own': [
    'Retirou credenciais',
    'Retirou as credenciais «{name}». O sistema que as usava deixa de poder ligar-se à sua loja.',
  ],
  'rail_account.created': [
    'Novo contrato',
    '{by} adicionou o contrato «{label}». O dinheiro dos seus clientes pode passar a entrar por ele. Se não foi ' +
      'combinado, retire-o já.',
  ],
  'rail_account.created.own': ['Adicionou um contrato', 'Adicionou o contrato «{label}».'],
  'rail_account.changed': [
    'Contrato alterado',
    '{by} alterou o contrato «{label}», por onde entra o dinheiro dos seus clientes. Se não foi combinado, veja já o ' +
      'que mudou.',
  ],
  'rail_account.changed.own': ['Alterou um contrato', 'Alterou o contrato «{label}».'],
  'rail_account.removed': [
    'Contrato retirado',
    '{by} retirou o contrato «{label}». A sua loja deixa de cobrar por ele.',
  ],
  'rail_account.removed.own': [
    'Retirou um contrato',
    'Retirou o contrato «{label}». A sua loja deixa de cobrar por ele.',
  ],
};
