// Tables of API clients, of the keys that sign access tokens, and of revoked tokens.
import { defineEntity, p } from '@mikro-orm/core';

export const ClientSchema = defineEntity({
  name: 'Client',
  tableName: 'clients',
  properties: {
    /** The client's public `client_id`. */
    id: p.text().primary(),
    merchantId: p.uuid().index(),
    name: p.text(),
    /** SHA-256 of the client secret. A secret has 256 random bits, so a slow hash would add no protection. */
    secretHash: p.text(),
    /** Digest of the client secret before the last rotation, valid until `previousUntil`. */
    previousHash: p.text().nullable(),
    previousUntil: p.datetime(3).nullable(),
    scopes: p.array().$type<string[]>(),
    createdAt: p.datetime(3),
    rotatedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
  },
});

/** An API client of a merchant, for the grant `client_credentials`. */
export class Client extends ClientSchema.class {}
ClientSchema.setClass(Client);

export const SigningKeySchema = defineEntity({
  name: 'SigningKey',
  tableName: 'signing_keys',
  properties: {
    /** `kid`: the key's RFC 7638 thumbprint. */
    kid: p.text().primary(),
    publicJwk: p.json(),
    /** The private key as a JWK, sealed with SECRETS_KEYS. */
    sealedPrivateJwk: p.text(),
    createdAt: p.datetime(3),
    /** The time at which the key stopped signing. Its tokens stay valid until they expire. */
    retiredAt: p.datetime(3).nullable(),
  },
});

/** A key pair that signs access tokens. */
export class SigningKey extends SigningKeySchema.class {}
SigningKeySchema.setClass(SigningKey);

export const RevokedTokenSchema = defineEntity({
  name: 'RevokedToken',
  tableName: 'revoked_tokens',
  properties: {
    jti: p.text().primary(),
    expiresAt: p.datetime(3).index(),
  },
});

/** An access token that was revoked before it expired. */
export class RevokedToken extends RevokedTokenSchema.class {}
RevokedTokenSchema.setClass(RevokedToken);

declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof ClientSchema | typeof SigningKeySchema | typeof RevokedTokenSchema> {}
}
