<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Api;

use Balcao\Listing;
use Balcao\Model;
use Balcao\Result;

final class Sms extends Group
{
    /**
     * Create a contact
     * @param array{
     *   nome: string,
     *   telefone: string,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function createContact(array $body, array $options = []): Model\SmsContact
    {
        return $this->client->call(
            'POST /api/Contactos/CadastrarContacto',
            'k',
            Model\SmsContact::class,
            [],
            $body,
            [],
            $options
        );
    }

    /**
     * Change a contact
     * @param string $contactoId
     * @param array{
     *   nome: string,
     *   telefone: string,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function replaceContact(string $contactoId, array $body, array $options = []): Model\SmsContact
    {
        return $this->client->call(
            'PUT /api/Contactos/AtualizarContacto/{}',
            'k',
            Model\SmsContact::class,
            [$contactoId],
            $body,
            [],
            $options
        );
    }

    /**
     * Delete a contact
     * @param string $contactoId
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function removeContact(string $contactoId, array $options = []): Model\SmsConfirmation
    {
        return $this->client->call(
            'DELETE /api/Contactos/DeletarContacto/{}',
            'k',
            Model\SmsConfirmation::class,
            [$contactoId],
            null,
            [],
            $options
        );
    }

    /**
     * List contacts, newest first
     * @param array{
     *   pageNumber?: int,
     *   pageSize?: int,
     *   telefone?: string,
     *   nome?: string,
     *   pesquisa?: string,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\SmsContact>
     * @throws \Balcao\Error
     */
    public function listContacts(array $query = [], array $options = []): Listing
    {
        return $this->client->call(
            'GET /api/Contactos/ListarContactos',
            'n',
            Model\SmsContactPage::class,
            [],
            null,
            $query,
            $options
        );
    }

    /**
     * Read one contact
     * @param string $contactoId
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function getContact(string $contactoId, array $options = []): Model\SmsContact
    {
        return $this->client->call(
            'GET /api/Contactos/ObterContactoPorId/{}',
            '',
            Model\SmsContact::class,
            [$contactoId],
            null,
            [],
            $options
        );
    }

    /**
     * Create a contact list
     * @param array{
     *   nome: string,
     *   contactoIds?: list<string>|null,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function createContactList(array $body, array $options = []): Model\SmsContactList
    {
        return $this->client->call(
            'POST /api/Contactos/CriarListaDeContactos',
            'k',
            Model\SmsContactList::class,
            [],
            $body,
            [],
            $options
        );
    }

    /**
     * Delete a contact list
     * @param string $listaId
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function removeContactList(string $listaId, array $options = []): Model\SmsConfirmation
    {
        return $this->client->call(
            'DELETE /api/Contactos/DeletarListaDeContactos/{}',
            'k',
            Model\SmsConfirmation::class,
            [$listaId],
            null,
            [],
            $options
        );
    }

    /**
     * List contact lists, newest first
     * @param array{
     *   pageNumber?: int,
     *   pageSize?: int,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\SmsContactList>
     * @throws \Balcao\Error
     */
    public function listContactLists(array $query = [], array $options = []): Listing
    {
        return $this->client->call(
            'GET /api/Contactos/ListarListasDeContactos',
            'n',
            Model\SmsContactListPage::class,
            [],
            null,
            $query,
            $options
        );
    }

    /**
     * Read one contact list, with a page of its contacts
     * @param string $listaId
     * @param array{
     *   pageNumber?: int,
     *   pageSize?: int,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function getContactList(string $listaId, array $query = [], array $options = []): Model\SmsContactListDetails
    {
        return $this->client->call(
            'GET /api/Contactos/ObterListaDeContactosPorId/{}',
            '',
            Model\SmsContactListDetails::class,
            [$listaId],
            null,
            $query,
            $options
        );
    }

    /**
     * Add a contact to a list
     * @param array{
     *   listaId: string,
     *   contactoId: string,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function addContactToList(array $body, array $options = []): Model\SmsConfirmation
    {
        return $this->client->call(
            'POST /api/Contactos/AdicionarContactoALista',
            'k',
            Model\SmsConfirmation::class,
            [],
            $body,
            [],
            $options
        );
    }

    /**
     * Remove a contact from a list
     * @param string $listaId
     * @param string $contactoId
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function removeContactFromList(
        string $listaId,
        string $contactoId,
        array $options = []
    ): Model\SmsConfirmation {
        return $this->client->call(
            'DELETE /api/Contactos/RemoverContactoDaLista/{}/{}',
            'k',
            Model\SmsConfirmation::class,
            [$listaId, $contactoId],
            null,
            [],
            $options
        );
    }

    /**
     * Import contacts
     * @param array{
     *   contactos: list<array{
     *     nome: string,
     *     telefone: string,
     *   }>,
     *   listaId?: string|null,
     *   novaLista?: string|null,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function importContacts(array $body, array $options = []): Model\SmsContactImport
    {
        return $this->client->call(
            'POST /api/Contactos/ImportarContactos',
            'k',
            Model\SmsContactImport::class,
            [],
            $body,
            [],
            $options
        );
    }

    /**
     * Read your SMS account
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function getAccount(array $options = []): Model\SmsMerchant
    {
        return $this->client->call(
            'GET /api/ContaSms/ObterConta',
            '',
            Model\SmsMerchant::class,
            [],
            null,
            [],
            $options
        );
    }

    /**
     * Set the sender and the opt-out text of your SMS
     * @param array{
     *   nomeremetenteSms: string|null,
     *   optOutText?: 'none'|'reply'|'link'|'number',
     *   optOutNumber?: string|null,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function updateSender(array $body, array $options = []): Model\SmsMerchant
    {
        return $this->client->call(
            'PUT /api/ContaSms/AtualizarRemetente',
            'k',
            Model\SmsMerchant::class,
            [],
            $body,
            [],
            $options
        );
    }

    /**
     * Read the balance of SMS units
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function getBalance(array $options = []): Model\SmsBalance
    {
        return $this->client->call('GET /api/ContaSms/ObterSaldo', '', Model\SmsBalance::class, [], null, [], $options);
    }

    /**
     * List movements of SMS units, newest first
     * @param array{
     *   pageNumber?: int,
     *   pageSize?: int,
     *   after?: string,
     *   tipo?: 'Credito'|'Debito'|'Reembolso',
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\SmsBalanceLedgerEntry>
     * @throws \Balcao\Error
     */
    public function listMovements(array $query = [], array $options = []): Listing
    {
        return $this->client->call(
            'GET /api/ContaSms/ListarMovimentos',
            'n',
            Model\SmsBalanceLedgerEntryPage::class,
            [],
            null,
            $query,
            $options
        );
    }

    /**
     * Create an SMS template
     * @param array{
     *   nome: string,
     *   conteudo: string,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function createTemplate(array $body, array $options = []): Model\SmsTemplate
    {
        return $this->client->call(
            'POST /api/TemplatesSMS/CriarTemplate',
            'k',
            Model\SmsTemplate::class,
            [],
            $body,
            [],
            $options
        );
    }

    /**
     * Change an SMS template
     * @param string $templateId
     * @param array{
     *   nome: string,
     *   conteudo: string,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function updateTemplate(string $templateId, array $body, array $options = []): Model\SmsTemplate
    {
        return $this->client->call(
            'PUT /api/TemplatesSMS/AtualizarTemplate/{}',
            'k',
            Model\SmsTemplate::class,
            [$templateId],
            $body,
            [],
            $options
        );
    }

    /**
     * Delete an SMS template
     * @param string $templateId
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function deleteTemplate(string $templateId, array $options = []): Model\SmsConfirmation
    {
        return $this->client->call(
            'DELETE /api/TemplatesSMS/DeletarTemplate/{}',
            'k',
            Model\SmsConfirmation::class,
            [$templateId],
            null,
            [],
            $options
        );
    }

    /**
     * Read one SMS template
     * @param string $templateId
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function getTemplate(string $templateId, array $options = []): Model\SmsTemplate
    {
        return $this->client->call(
            'GET /api/TemplatesSMS/ObterTemplatesSmsPorId/{}',
            '',
            Model\SmsTemplate::class,
            [$templateId],
            null,
            [],
            $options
        );
    }

    /**
     * List SMS templates, newest first
     * @param array{
     *   pageNumber?: int,
     *   pageSize?: int,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\SmsTemplate>
     * @throws \Balcao\Error
     */
    public function listTemplates(array $query = [], array $options = []): Listing
    {
        return $this->client->call(
            'GET /api/TemplatesSMS/ListarTemplates',
            'n',
            Model\SmsTemplatePage::class,
            [],
            null,
            $query,
            $options
        );
    }

    /**
     * Find SMS templates created on a day
     * @param array{
     *   dia: int,
     *   mes: int,
     *   ano: int,
     *   pageNumber?: int,
     *   pageSize?: int,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\SmsTemplate>
     * @throws \Balcao\Error
     */
    public function searchTemplates(array $query, array $options = []): Listing
    {
        return $this->client->call(
            'GET /api/TemplatesSMS/pesquisarTemplateSMSporData',
            'n',
            Model\SmsTemplatePage::class,
            [],
            null,
            $query,
            $options
        );
    }

    /**
     * List sent SMS, newest first
     * @param array{
     *   pageNumber?: int,
     *   pageSize?: int,
     *   desde?: string,
     *   ate?: string,
     *   batchId?: string,
     *   estado?: 'Pendente'|'Enviado'|'Entregue'|'Falhado',
     *   numeroDestino?: string,
     *   dialect?: string,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\SentSms>
     * @throws \Balcao\Error
     */
    public function listSent(array $query = [], array $options = []): Listing
    {
        return $this->client->call(
            'GET /api/Envio/ListarSmsEnviadas',
            'n',
            Model\SentSmsPage::class,
            [],
            null,
            $query,
            $options
        );
    }

    /**
     * Find SMS sent on a day
     * @param array{
     *   dia: int,
     *   mes: int,
     *   ano: int,
     *   pageNumber?: int,
     *   pageSize?: int,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\SentSms>
     * @throws \Balcao\Error
     */
    public function searchSent(array $query, array $options = []): Listing
    {
        return $this->client->call(
            'GET /api/Envio/PesquisarSMSEnviados',
            'n',
            Model\SentSmsPage::class,
            [],
            null,
            $query,
            $options
        );
    }

    /**
     * Find SMS sent in a range of days
     * @param array{
     *   diaInicio: int,
     *   mesInicio: int,
     *   anoInicio: int,
     *   diaFim: int,
     *   mesFim: int,
     *   anoFim: int,
     *   pageNumber?: int,
     *   pageSize?: int,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\SentSms>
     * @throws \Balcao\Error
     */
    public function searchSentInRange(array $query, array $options = []): Listing
    {
        return $this->client->call(
            'GET /api/Envio/pesquisarEnviosPorIntervaloDeDatas',
            'n',
            Model\SentSmsPage::class,
            [],
            null,
            $query,
            $options
        );
    }

    /**
     * Send a text to one or more numbers
     * @param array{
     *   numerosDestino: list<string>,
     *   conteudo: string,
     *   remetente?: string|null,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function send(array $body, array $options = []): Model\SmsAcceptance
    {
        return $this->client->call(
            'POST /api/Envio/enviarSms',
            'k',
            Model\SmsAcceptance::class,
            [],
            $body,
            [],
            $options
        );
    }

    /**
     * Send a template to one or more numbers
     * @param array{
     *   smsId: string,
     *   numerosDestino: list<string>,
     *   remetente?: string|null,
     *   valores?: array<string, mixed>|null,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function sendTemplate(array $body, array $options = []): Model\SmsAcceptance
    {
        return $this->client->call(
            'POST /api/Envio/enviarSmsTemplate',
            'k',
            Model\SmsAcceptance::class,
            [],
            $body,
            [],
            $options
        );
    }

    /**
     * Send a text or a template to a contact list
     * @param array{
     *   listaId: string,
     *   conteudo?: string|null,
     *   smsId?: string|null,
     *   remetente?: string|null,
     *   valores?: array<string, mixed>|null,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function sendToList(array $body, array $options = []): Model\SmsAcceptance
    {
        return $this->client->call(
            'POST /api/Envio/enviarSmsParaLista',
            'k',
            Model\SmsAcceptance::class,
            [],
            $body,
            [],
            $options
        );
    }

    /**
     * Preview an SMS request
     * @param array{
     *   dia?: int,
     *   mes?: int,
     *   ano?: int,
     *   hora?: int,
     *   minuto?: int,
     *   numerosDestino?: list<string>|null,
     *   listaId?: string|null,
     *   conteudo?: string|null,
     *   smsId?: string|null,
     *   remetente?: string|null,
     *   valores?: array<string, mixed>|null,
     * } $body
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function preview(array $body, array $options = []): Model\SmsSendingPreview
    {
        return $this->client->call(
            'POST /api/Envio/PreverSms',
            '',
            Model\SmsSendingPreview::class,
            [],
            $body,
            [],
            $options
        );
    }

    /**
     * Schedule SMS
     * @param array{
     *   dia: int,
     *   mes: int,
     *   ano: int,
     *   hora: int,
     *   minuto: int,
     *   numerosDestino?: list<string>|null,
     *   listaId?: string|null,
     *   conteudo?: string|null,
     *   smsId?: string|null,
     *   remetente?: string|null,
     *   valores?: array<string, mixed>|null,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function schedule(array $body, array $options = []): Model\SmsScheduledAcceptance
    {
        return $this->client->call(
            'POST /api/Envio/agendarSms',
            'k',
            Model\SmsScheduledAcceptance::class,
            [],
            $body,
            [],
            $options
        );
    }

    /**
     * List scheduled SMS, newest first
     * @param array{
     *   pageNumber?: int,
     *   pageSize?: int,
     *   estado?: string,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\SmsSchedule>
     * @throws \Balcao\Error
     */
    public function listScheduled(array $query = [], array $options = []): Listing
    {
        return $this->client->call(
            'GET /api/Envio/ListarSmsAgendadas',
            'n',
            Model\SmsSchedulePage::class,
            [],
            null,
            $query,
            $options
        );
    }

    /**
     * Cancel scheduled SMS
     * @param string $agendamentoId
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function cancelScheduled(string $agendamentoId, array $options = []): Model\SmsConfirmation
    {
        return $this->client->call(
            'DELETE /api/Envio/CancelarAgendamento/{}',
            'k',
            Model\SmsConfirmation::class,
            [$agendamentoId],
            null,
            [],
            $options
        );
    }

    /**
     * List refusals of your SMS, newest first
     * @param array{
     *   after?: string,
     *   limit?: int,
     *   phone?: string,
     *   dialect?: string,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\SmsOptOut>
     * @throws \Balcao\Error
     */
    public function listOptOuts(array $query = [], array $options = []): Listing
    {
        return $this->client->call(
            'GET /api/sms/opt-outs',
            'f',
            Model\SmsOptOutPage::class,
            [],
            null,
            $query,
            $options
        );
    }

    /**
     * Record that a person refuses your SMS
     * @param array{
     *   phone: string,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function createOptOut(array $body, array $options = []): Model\SmsOptOut
    {
        return $this->client->call('POST /api/sms/opt-outs', 'k', Model\SmsOptOut::class, [], $body, [], $options);
    }

    /**
     * Delete a refusal that you recorded
     * @param string $optOutId
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function deleteOptOut(string $optOutId, array $options = []): void
    {
        $this->client->call('DELETE /api/sms/opt-outs/{}', 'k', Result::class, [$optOutId], null, [], $options);
    }
}
