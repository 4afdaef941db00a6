// Who may ask for tokens (API clients), and the keys that sign them.
import { defineEntity, p } from '@mikro-orm/core';

const ClientSchema = defineEntity({
  name: 'Client',
  tableName: 'clients',
  properties: {
    /** The public `client_id`. */
    id: p.text().primary(),
    merchantId: p.uuid().index(),
    name: p.text(),
    /** SHA-256 of the secret: secrets are 256 random bits, so that a slow hash would protect nothing. */
    secretHash: p.text(),
    scopes: p.array().$type<string[]>(),
    createdAt: p.datetime(3),
    revokedAt: p.datetime(3).nullable(),
  },
});

/** An API client of a merchant: what `client_credentials` names. */
export class Client extends ClientSchema.class {}
ClientSchema.setClass(Client);

const SigningKeySchema = defineEntity({
  name: 'SigningKey',
  tableName: 'signing_keys',
  properties: {
    /** RFC 7638 thumbprint. */
    kid: p.text().primary(),
    publicJwk: p.json(),
    /** The private JWK, sealed with SECRETS_KEYS. */
    sealedPrivateJwk: p.text(),
    createdAt: p.datetime(3),
    /** When it stopped signing; its tokens are accepted until they end. */
    retiredAt: p.datetime(3).nullable(),
  },
});

/** A key pair that signs access tokens. */
export class SigningKey extends SigningKeySchema.class {}
SigningKeySchema.setClass(SigningKey);
