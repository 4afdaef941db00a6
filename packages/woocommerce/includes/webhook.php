<?php
// The address of the gateway's webhook. It verifies the sender, then the order reads its payment from the gateway.

defined( 'ABSPATH' ) || exit;

add_action( 'rest_api_init', static function (): void {
	// The signature is the permission.
	$route = [ 'methods' => 'POST', 'callback' => 'balcao_receive_webhook', 'permission_callback' => '__return_true' ];
	register_rest_route( 'balcao/v1', '/webhook', $route );
} );

function balcao_webhook_url(): string {
	return rest_url( 'balcao/v1/webhook' );
}

/** Answers 2xx if the order followed, or if the event is about no order of this shop. */
function balcao_receive_webhook( WP_REST_Request $request ): WP_REST_Response {
	$headers = array_map( static fn( array $values ): string => $values[0], $request->get_headers() );
	try {
		$event = Balcao\Webhook::verify( $request->get_body(), $headers, balcao_settings()['webhook_secret'] );
		$found = balcao_order_of( $event );
	} catch ( Balcao\Error | InvalidArgumentException $error ) {
		balcao_note_time( 'forged' );
		return new WP_REST_Response( [ 'error' => 'signature' ], 400 );
	}
	balcao_note_time( 'webhook' );
	try {
		$found && balcao_sync_order( $found[0], $found[1], 3 );
		return new WP_REST_Response( [ 'handled' => (bool) $found ] );
	} catch ( Balcao_Busy $busy ) {
		// The other process may have read the payment before this event, so the gateway must repeat it.
		return new WP_REST_Response( [ 'error' => 'busy' ], 503 );
	} catch ( Throwable $error ) {
		balcao_log( "webhook for order $found[0]: " . $error->getMessage() );
		return new WP_REST_Response( [ 'error' => 'failed' ], 500 );
	}
}
