<?php
// Settings, the client of the gateway, locks, amounts and the log.

defined( 'ABSPATH' ) || exit;

/** Another process holds the lock of an order. */
class Balcao_Busy extends RuntimeException {}

/** Keeps access tokens in transients, because all processes of a shop share them. */
final class Balcao_Tokens implements Balcao\TokenCache {
	public function remember( string $key, ?string $refused, callable $fetch ): string {
		$token = get_transient( 'balcao_token_' . md5( $key ) );
		if ( ! is_string( $token ) || $token === $refused ) {
			[ $token, $seconds ] = $fetch();
			set_transient( 'balcao_token_' . md5( $key ), $token, max( 1, $seconds ) );
		}
		return $token;
	}
}

/** The settings of the plug-in, with a value for each name. */
function balcao_settings(): array {
	$names  = [ 'url', 'client_id', 'client_secret', 'merchant_id', 'webhook_id', 'webhook_secret' ];
	$absent = array_fill_keys( [ ...$names, 'min_amount', 'max_amount' ], '' ) + [ 'test_mode' => 'no' ];
	return (array) get_option( 'balcao_settings', [] ) + $absent;
}

function balcao_is_connected(): bool {
	$settings = balcao_settings();
	return '' !== $settings['url'] && '' !== $settings['client_id'] && '' !== $settings['client_secret'];
}

/** The client of the gateway. @throws RuntimeException without settings */
function balcao_client( float $timeout = 15 ): Balcao\Client {
	if ( ! balcao_is_connected() ) {
		throw new RuntimeException( __( 'The shop is not connected to a Balcão gateway yet.', 'balcao' ) );
	}
	$credentials = array_intersect_key( balcao_settings(), [ 'url' => 1, 'client_id' => 1, 'client_secret' => 1 ] );
	$options     = [ 'tokens' => new Balcao_Tokens(), 'transport' => 'balcao_send', 'timeout' => $timeout ];
	return new Balcao\Client( $credentials + $options );
}

/** The transport of the client: WordPress's own, with the proxy and certificates of the site. */
function balcao_send( string $method, string $url, array $headers, ?string $body, float $timeout ): array {
	$options = [ 'method' => $method, 'headers' => $headers, 'body' => $body, 'timeout' => $timeout, 'redirection' => 0 ];
	$answer  = wp_remote_request( $url, $options );
	if ( is_wp_error( $answer ) ) {
		throw new Balcao\ConnectionError( $answer->get_error_message() );
	}
	$received = [];
	foreach ( wp_remote_retrieve_headers( $answer ) as $name => $value ) {
		$received[ strtolower( $name ) ] = implode( ', ', (array) $value );
	}
	$status = (int) wp_remote_retrieve_response_code( $answer );
	return [ 'status' => $status, 'headers' => $received, 'body' => wp_remote_retrieve_body( $answer ) ];
}

/** Posts JSON to a page of the gateway that needs no token, and returns its answer. @throws Balcao\Error */
function balcao_post( string $url, array $body, array $headers = [] ): array {
	$headers += [ 'content-type' => 'application/json', 'accept' => 'application/json' ];
	$answer   = balcao_send( 'POST', $url, $headers, (string) wp_json_encode( $body ), 15 );
	$read     = (array) json_decode( $answer['body'], true );
	if ( $answer['status'] >= 300 ) {
		$code = (string) ( $read['code'] ?? $read['error'] ?? 'unexpected_answer' );
		throw new Balcao\Error( $code, (string) ( $read['detail'] ?? $answer['status'] ), $answer['status'], $read );
	}
	return $read;
}

/**
 * Runs `$work` while no other process runs work under this name. The database frees the lock if this process ends.
 *
 * @return mixed the result of `$work`
 * @throws Balcao_Busy after `$wait` seconds
 */
function balcao_locked( string $name, int $wait, callable $work ) {
	global $wpdb;
	$key = 'balcao_' . md5( DB_NAME . $wpdb->prefix . $name );
	if ( '1' !== (string) $wpdb->get_var( $wpdb->prepare( 'SELECT GET_LOCK(%s, %d)', $key, $wait ) ) ) {
		throw new Balcao_Busy( __( 'Another process works on this order. Try again in a few seconds.', 'balcao' ) );
	}
	try {
		return $work();
	} finally {
		$wpdb->get_var( $wpdb->prepare( 'SELECT RELEASE_LOCK(%s)', $key ) );
	}
}

/** Runs `$work` under the lock of an order, with the order as the database has it now. */
function balcao_with_order( int $id, int $wait, callable $work ) {
	return balcao_locked( "order-$id", $wait, static function () use ( $id, $work ) {
		// Another process may have changed the order or its refunds since this one read them.
		clean_post_cache( $id );
		WC_Cache_Helper::invalidate_cache_group( 'orders' );
		WC_Data_Store::load( 'order' )->clear_cached_data( [ $id ] );
		$cache = 'Automattic\WooCommerce\Caches\OrderCache';
		if ( class_exists( $cache ) ) {
			wc_get_container()->get( $cache )->remove( $id );
		}
		$order = wc_get_order( $id );
		if ( ! $order instanceof WC_Order ) {
			balcao_log( "order $id does not exist, but the gateway may have a payment of it" );
			return null;
		}
		$order->read_meta_data( true );
		return $work( $order );
	} );
}

function balcao_log( string $message ): void {
	// Without WooCommerce only the payment link writes here.
	function_exists( 'wc_get_logger' )
		? wc_get_logger()->warning( $message, [ 'source' => 'balcao' ] )
		: error_log( "balcao: $message" ); // phpcs:ignore WordPress.PHP.DevelopmentFunctions
}

/** An amount in minor units, for exact comparisons. The total of a cart may be a number with more decimals. */
function balcao_minor( $amount ): int {
	return (int) str_replace( '.', '', wc_format_decimal( $amount, 2 ) );
}

/** An amount for people, without markup. */
function balcao_money( string $amount, string $currency = 'AOA' ): string {
	return number_format( (float) $amount, 2, ',', ' ' ) . ' ' . ( 'AOA' === $currency ? 'Kz' : $currency );
}

/** A refusal as a sentence for people. */
function balcao_reason( Throwable $error ): string {
	if ( ! $error instanceof Balcao\Error ) {
		return $error->getMessage();
	}
	$field = $error->pointers[0] ?? null;
	return $error->detail . ( $field ? " ({$field['pointer']}: {$field['message']})" : '' );
}

/** The currencies that the gateway takes. The filter adds those of a gateway with another rail. */
function balcao_currencies(): array {
	return (array) apply_filters( 'balcao_currencies', [ 'AOA' ] );
}

/** The reason for the owner why no payment method is offered, or ''. */
function balcao_unavailable_reason(): string {
	$currency = get_woocommerce_currency();
	if ( ! balcao_is_connected() ) {
		return __( 'Connect the shop to your Balcão gateway: WooCommerce → Balcão.', 'balcao' );
	}
	if ( in_array( $currency, balcao_currencies(), true ) ) {
		return '';
	}
	/* translators: 1: currency of the shop, 2: list of currencies */
	$text = __( 'The shop sells in %1$s, but the gateway takes %2$s. Change the currency of WooCommerce.', 'balcao' );
	return sprintf( $text, $currency, implode( ', ', balcao_currencies() ) );
}
