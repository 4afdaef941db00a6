<?php
/**
 * The address for the gateway's webhook. It verifies the sender, then reads the payment from the gateway.
 *
 * @package Balcao
 */

defined( 'ABSPATH' ) || exit;

add_action(
	'rest_api_init',
	static function (): void {
		register_rest_route( 'balcao/v1', '/webhook', [
			'methods'             => 'POST',
			'callback'            => 'balcao_receive_webhook',
			// The signature is the permission.
			'permission_callback' => '__return_true',
		] );
	}
);

function balcao_webhook_url(): string {
	return rest_url( 'balcao/v1/webhook' );
}

/** Answers 2xx if the order followed, or if the event is about no order of this shop. */
function balcao_receive_webhook( WP_REST_Request $request ): WP_REST_Response {
	$headers = [];
	foreach ( [ 'webhook-id', 'webhook-timestamp', 'webhook-signature' ] as $name ) {
		$headers[ $name ] = (string) $request->get_header( $name );
	}
	try {
		$event = Balcao\Webhook::verify( $request->get_body(), $headers, balcao_settings()['webhook_secret'] );
	} catch ( Balcao\Error | InvalidArgumentException $error ) {
		return new WP_REST_Response( [ 'error' => 'signature' ], 400 );
	}
	$found = balcao_order_of( $event );
	if ( ! $found ) {
		return new WP_REST_Response( [ 'handled' => false ] );
	}
	try {
		balcao_sync_order( $found[0], $found[1], 3 );
		return new WP_REST_Response( [ 'handled' => true ] );
	} catch ( Balcao_Busy $busy ) {
		// The other process may have read the payment before this event, so the gateway must repeat it.
		return new WP_REST_Response( [ 'error' => 'busy' ], 503 );
	} catch ( Throwable $error ) {
		balcao_log( "webhook for order $found[0]: " . $error->getMessage() );
		return new WP_REST_Response( [ 'error' => 'failed' ], 500 );
	}
}
