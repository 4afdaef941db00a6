<?php
// Connects the shop: checks the three values, then registers the webhook and the shop's origins at the gateway.

defined( 'ABSPATH' ) || exit;

/** The permissions that the plug-in uses, with the purpose of each. Only payments need the required ones. */
function balcao_scopes(): array {
	return [
		'payments:read'    => __( 'read payments', 'balcao' ),
		'payments:write'   => __( 'create and cancel payments', 'balcao' ),
		'references:write' => __( 'create and cancel references', 'balcao' ),
		'refunds:write'    => __( 'refund money', 'balcao' ),
		'merchant:read'    => __( 'read the settings of the shop at the gateway', 'balcao' ),
		'merchant:write'   => __( 'register the webhook and the addresses of this shop', 'balcao' ),
		'sms:write'        => __( 'send a reference by SMS', 'balcao' ),
	];
}

/** The types of events that an order follows. */
const BALCAO_EVENTS = [ 'payment.*', 'refund.*' ];

/** The gateway's address as people type it, as an origin. @throws RuntimeException with a sentence */
function balcao_clean_url( string $typed ): string {
	$typed    = trim( $typed );
	$is_local = (bool) preg_match( '#^(localhost|127\.0\.0\.1)(:|/|$)#i', $typed );
	$typed    = preg_match( '#^[a-z]+://#i', $typed ) ? $typed : ( $is_local ? 'http' : 'https' ) . "://$typed";
	$parts    = wp_parse_url( $typed );
	$host     = strtolower( $parts['host'] ?? '' );
	if ( '' === $host || ! in_array( strtolower( $parts['scheme'] ?? '' ), [ 'http', 'https' ], true ) ) {
		throw new RuntimeException( __( 'Type the address of your gateway, such as https://pay.example.', 'balcao' ) );
	}
	$scheme = strtolower( $parts['scheme'] );
	if ( 'http' === $scheme && ! in_array( $host, [ 'localhost', '127.0.0.1', '[::1]' ], true ) ) {
		throw new RuntimeException( __( 'The address of the gateway must begin with https://. With http:// anybody on the way could read the secret.', 'balcao' ) );
	}
	return "$scheme://$host" . ( isset( $parts['port'] ) ? ":{$parts['port']}" : '' );
}

/**
 * Requests a token with the three values.
 *
 * @return array{merchant: string, missing: list<string>} the merchant, and permissions that the client lacks
 * @throws RuntimeException with a sentence that says which value is wrong
 */
function balcao_try_credentials( string $url, string $id, string $secret ): array {
	$body   = [ 'grant_type' => 'client_credentials', 'client_id' => $id, 'client_secret' => $secret ];
	$status = 200;
	$token  = [];
	try {
		$token = balcao_post( "$url/oauth/token", $body );
	} catch ( Balcao\Error $error ) {
		$status = $error->status;
		/* translators: 1: address, 2: technical reason */
		$silent = sprintf( __( 'No gateway answers at %1$s. Check the address (%2$s).', 'balcao' ), $url, $error->detail );
		$wrong  = __( 'The gateway does not know this client id with this secret. Copy both again from its console.', 'balcao' );
		$often  = __( 'Too many attempts. Wait a minute, then save again.', 'balcao' );
		$texts  = [ 'connection_failed' => $silent, 'invalid_client' => $wrong, 429 => $often ];
		$known  = $texts[ $error->code ] ?? $texts[ $status ] ?? null;
		if ( $known ) {
			throw new RuntimeException( $known );
		}
	}
	if ( empty( $token['access_token'] ) ) {
		/* translators: 1: address, 2: HTTP status */
		$text = __( 'There is no Balcão gateway at %1$s (status %2$d). Use the address of its console, without /console.', 'balcao' );
		throw new RuntimeException( sprintf( $text, $url, $status ) );
	}
	$missing = array_values( array_diff( array_keys( balcao_scopes() ), explode( ' ', $token['scope'] ) ) );
	return [ 'merchant' => (string) $token['merchant_id'], 'missing' => $missing ];
}

/** Only a test environment has this page, or its guard that demands a password. A proxy's refusal proves nothing. */
function balcao_is_sandbox( string $url ): bool {
	try {
		$answer     = balcao_send( 'GET', "$url/sandbox", [], null, 10 );
		$is_guarded = false !== strpos( $answer['headers']['www-authenticate'] ?? '', 'realm="Balcao sandbox"' );
		return 200 === $answer['status'] || ( 401 === $answer['status'] && $is_guarded );
	} catch ( Balcao\ConnectionError $error ) {
		return false;
	}
}

/**
 * Saves the three values and connects the shop.
 *
 * @return list<array{0: string, 1: string}> the results: `success`, `warning` or `error`, and a sentence
 */
function balcao_connect( array $typed ): array {
	$settings = balcao_settings();
	$typed    = array_map( 'trim', $typed );
	$secret   = '' === $typed['client_secret'] ? $settings['client_secret'] : $typed['client_secret'];
	try {
		$url  = balcao_clean_url( $typed['url'] );
		$try  = balcao_try_credentials( $url, $typed['client_id'], $secret );
		$lack = array_diff( $try['missing'], [ 'merchant:read', 'merchant:write', 'refunds:write', 'sms:write' ] );
		if ( $lack ) {
			/* translators: %s: list of permissions */
			throw new RuntimeException( sprintf( __( 'These credentials may not: %s. Create others in the console of the gateway: Developers → WordPress.', 'balcao' ), balcao_list_scopes( $lack ) ) );
		}
	} catch ( RuntimeException $error ) {
		// The values of a working connection stay, so a typing error stops no sale.
		return [ [ 'error', $error->getMessage() . ' ' . __( 'Nothing was saved.', 'balcao' ) ] ];
	}
	$is_other = $url !== $settings['url'] || $typed['client_id'] !== $settings['client_id'];
	$settings = array_merge( $settings, [
		'url'           => $url,
		'client_id'     => $typed['client_id'],
		'client_secret' => $secret,
		'min_amount'    => balcao_typed_amount( $typed['min_amount'] ?? '' ),
		'max_amount'    => balcao_typed_amount( $typed['max_amount'] ?? '' ),
		'test_mode'     => balcao_is_sandbox( $url ) ? 'yes' : 'no',
		'merchant_id'   => $try['merchant'],
	], $is_other ? [ 'webhook_id' => '', 'webhook_secret' => '' ] : [] );
	update_option( 'balcao_settings', $settings, false );
	try {
		// The feed begins before the first payment, so that the first checkout does not wait for it.
		balcao_begin_feed();
	} catch ( Balcao\Error | Balcao_Busy $error ) {
		balcao_log( 'feed: ' . $error->getMessage() );
	}
	$results = [ [ 'success', __( 'The shop is connected to the gateway.', 'balcao' ) ] ];
	if ( $try['missing'] ) {
		/* translators: %s: list of permissions */
		$results[] = [ 'warning', sprintf( __( 'Payments work, but these credentials may not: %s.', 'balcao' ), balcao_list_scopes( $try['missing'] ) ) ];
	}
	if ( in_array( 'merchant:write', $try['missing'], true ) || in_array( 'merchant:read', $try['missing'], true ) ) {
		/* translators: %s: address */
		$results[] = [ 'warning', sprintf( __( 'Enter the address %s in the console yourself: Settings → Site and integration. Without the webhook, orders follow within a minute.', 'balcao' ), balcao_origin() ) ];
		return $results;
	}
	$results[] = balcao_register_origins( $try['merchant'] );
	if ( class_exists( 'WooCommerce' ) ) {
		$results[] = balcao_register_webhook();
	}
	return $results;
}

function balcao_list_scopes( array $names ): string {
	$texts = array_intersect_key( balcao_scopes(), array_flip( $names ) );
	return implode( '; ', array_map( static fn( $name, $text ) => "$text ($name)", array_keys( $texts ), $texts ) );
}

/** An amount as people type it, as decimal text, or '' for no limit. */
function balcao_typed_amount( string $typed ): string {
	$text = str_replace( ',', '.', preg_replace( '/[^\d,.]/', '', $typed ) );
	return preg_match( '/^\d{1,9}(\.\d{1,2})?$/', $text ) ? $text : '';
}

/** The origin of this shop's pages. */
function balcao_origin(): string {
	$parts = wp_parse_url( home_url() );
	return strtolower( "{$parts['scheme']}://{$parts['host']}" ) . ( isset( $parts['port'] ) ? ":{$parts['port']}" : '' );
}

/** Adds this shop to the origins of return addresses and of pages that may frame the checkout. */
function balcao_register_origins( string $merchant_id ): array {
	try {
		$merchants = balcao_client()->merchants;
		$merchant  = $merchants->get( $merchant_id );
		$body      = [];
		foreach ( [ 'returnOrigins', 'allowedOrigins' ] as $list ) {
			$known = (array) $merchant[ $list ];
			if ( ! in_array( balcao_origin(), $known, true ) ) {
				$body[ $list ] = array_merge( $known, [ balcao_origin() ] );
			}
		}
		if ( $body ) {
			$merchants->update( $merchant_id, $body, array_filter( [ 'if_match' => $merchant->header( 'etag' ) ] ) );
		}
		/* translators: %s: address */
		return [ 'success', sprintf( __( 'The gateway knows the address of this shop: %s.', 'balcao' ), balcao_origin() ) ];
	} catch ( Balcao\Error $error ) {
		$text = 0 === strpos( balcao_origin(), 'http://' )
			? __( 'The gateway accepts only shops whose address begins with https://. Get a certificate for this site first, then save again.', 'balcao' )
			: balcao_reason( $error );
		/* translators: 1: address, 2: reason */
		return [ 'error', sprintf( __( 'The address %1$s was not registered. %2$s', 'balcao' ), balcao_origin(), $text ) ];
	}
}

/** Creates or renews the webhook, then sends a sample event through the shop's firewall. */
function balcao_register_webhook(): array {
	$webhooks = balcao_client()->webhooks;
	$settings = balcao_settings();
	$body     = [ 'url' => balcao_webhook_url(), 'types' => BALCAO_EVENTS, 'description' => 'WooCommerce: ' . balcao_origin() ];
	$own      = null;
	try {
		foreach ( $webhooks->list( [ 'pageSize' => 100 ] ) as $webhook ) {
			if ( $webhook->id === $settings['webhook_id'] || ( ! $own && $webhook->url === $body['url'] ) ) {
				$own = $webhook;
			}
		}
		if ( $own ) {
			$webhooks->replace( $own->id, $body );
		}
		if ( ! $own || $own->id !== $settings['webhook_id'] || '' === $settings['webhook_secret'] ) {
			// The secret of a webhook from an earlier installation is unknown here, therefore it is renewed.
			$secret = $own ? $webhooks->rotateSecret( $own->id, [ 'overlapHours' => 0 ] )->secret : null;
			$own    = $own ?? $webhooks->create( $body );
			$made   = [ 'webhook_id' => $own->id, 'webhook_secret' => $secret ?? $own->secret ];
			update_option( 'balcao_settings', array_merge( $settings, $made ), false );
		}
		$delivery = $webhooks->test( $own->id );
	} catch ( Balcao\Error $error ) {
		/* translators: 1: address, 2: reason */
		$text = __( 'The gateway cannot send webhooks to %1$s: %2$s Orders follow all the same, within a minute.', 'balcao' );
		return [ 'warning', sprintf( $text, balcao_webhook_url(), balcao_reason( $error ) ) ];
	}
	if ( 'Delivered' === $delivery->status ) {
		return [ 'success', __( 'The webhook works: a sample event arrived.', 'balcao' ) ];
	}
	$last   = $delivery->lastAttempt;
	$reason = $last ? trim( "$last->outcome $last->status $last->error" ) : '–';
	/* translators: %s: technical reason */
	return [ 'warning', sprintf( __( 'The sample event did not arrive (%s). Allow POST requests to /wp-json/balcao/ in the firewall. Orders follow all the same, within a minute.', 'balcao' ), $reason ) ];
}
