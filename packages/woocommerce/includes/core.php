<?php
/**
 * Settings, the client of the gateway, locks and the log.
 *
 * @package Balcao
 */

defined( 'ABSPATH' ) || exit;

/** Another process holds the lock of an order. */
class Balcao_Busy extends RuntimeException {}

/** Keeps access tokens in transients, because all processes of a shop share them. */
final class Balcao_Tokens implements Balcao\TokenCache {
	public function remember( string $key, ?string $refused, callable $fetch ): string {
		$name  = 'balcao_token_' . md5( $key );
		$token = get_transient( $name );
		if ( ! is_string( $token ) || $token === $refused ) {
			[ $token, $seconds ] = $fetch();
			set_transient( $name, $token, max( 1, $seconds ) );
		}
		return $token;
	}
}

/** The settings of the plug-in, with a value for each name. */
function balcao_settings(): array {
	return (array) get_option( 'balcao_settings', [] ) + [
		'url'            => '',
		'client_id'      => '',
		'client_secret'  => '',
		'webhook_id'     => '',
		'webhook_secret' => '',
		'min_amount'     => '',
		'max_amount'     => '',
		'test_mode'      => 'no',
	];
}

function balcao_is_connected(): bool {
	$settings = balcao_settings();
	return '' !== $settings['url'] && '' !== $settings['client_id'] && '' !== $settings['client_secret'];
}

/** Identifies the gateway and the merchant's client. Ids of another gateway mean nothing here. */
function balcao_gateway_id(): string {
	$settings = balcao_settings();
	return md5( $settings['url'] . ' ' . $settings['client_id'] );
}

/** The client of the gateway. @throws RuntimeException without settings */
function balcao_client( float $timeout = 15 ): Balcao\Client {
	if ( ! balcao_is_connected() ) {
		throw new RuntimeException( __( 'The shop is not connected to a Balcão gateway yet.', 'balcao' ) );
	}
	$options = array_intersect_key( balcao_settings(), [ 'url' => 1, 'client_id' => 1, 'client_secret' => 1 ] );
	return new Balcao\Client( $options + [
		'tokens'    => new Balcao_Tokens(),
		'transport' => 'balcao_send',
		'timeout'   => $timeout,
	] );
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
	return [
		'status'  => (int) wp_remote_retrieve_response_code( $answer ),
		'headers' => $received,
		'body'    => wp_remote_retrieve_body( $answer ),
	];
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
		// Another process may have changed the order since this one read it.
		clean_post_cache( $id );
		$cache = 'Automattic\WooCommerce\Caches\OrderCache';
		if ( class_exists( $cache ) && function_exists( 'wc_get_container' ) ) {
			wc_get_container()->get( $cache )->remove( $id );
		}
		$order = wc_get_order( $id );
		if ( ! $order instanceof WC_Order ) {
			return null;
		}
		$order->read_meta_data( true );
		return $work( $order );
	} );
}

/** Writes to WooCommerce's log, or to PHP's without WooCommerce. */
function balcao_log( string $message, array $context = [] ): void {
	if ( function_exists( 'wc_get_logger' ) ) {
		wc_get_logger()->warning( $message, [ 'source' => 'balcao' ] + $context );
	} else {
		error_log( "balcao: $message" ); // phpcs:ignore WordPress.PHP.DevelopmentFunctions
	}
}

/** An amount in minor units, for comparisons without floats. */
function balcao_minor( string $amount ): int {
	[ $whole, $part ] = explode( '.', $amount . '.' );
	return (int) ( $whole . str_pad( substr( $part, 0, 2 ), 2, '0' ) );
}

/** Minor units as decimal text. */
function balcao_decimal( int $minor ): string {
	return sprintf( '%s%d.%02d', $minor < 0 ? '-' : '', intdiv( abs( $minor ), 100 ), abs( $minor ) % 100 );
}

/** An amount for people, without markup. */
function balcao_money( string $amount, string $currency = 'AOA' ): string {
	[ $whole, $part ] = explode( '.', $amount . '.00' );
	$grouped          = preg_replace( '/\B(?=(\d{3})+$)/', ' ', $whole );
	return "$grouped," . str_pad( substr( $part, 0, 2 ), 2, '0' ) . ' ' . ( 'AOA' === $currency ? 'Kz' : $currency );
}

/** A refusal as a sentence for people, without the client's prefix. */
function balcao_reason( Throwable $error ): string {
	if ( ! $error instanceof Balcao\Error ) {
		return $error->getMessage();
	}
	$field = $error->pointers ? " ({$error->pointers[0]['pointer']}: {$error->pointers[0]['message']})" : '';
	return "$error->detail$field";
}

/** The currencies that the gateway takes. A gateway with another rail adds its own by the filter. */
function balcao_currencies(): array {
	return (array) apply_filters( 'balcao_currencies', [ 'AOA' ] );
}

/** Why no payment method is offered, for the owner. Empty: they are offered. */
function balcao_unavailable_reason(): string {
	if ( ! balcao_is_connected() ) {
		return __( 'Connect the shop to your Balcão gateway: WooCommerce → Balcão.', 'balcao' );
	}
	if ( ! in_array( get_woocommerce_currency(), balcao_currencies(), true ) ) {
		/* translators: 1: currency of the shop, 2: list of currencies */
		$text = __( 'The shop sells in %1$s, but the gateway takes %2$s. Change the currency of WooCommerce.', 'balcao' );
		return sprintf( $text, get_woocommerce_currency(), implode( ', ', balcao_currencies() ) );
	}
	return '';
}
