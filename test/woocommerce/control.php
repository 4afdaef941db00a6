<?php
/**
 * A must-use plug-in for tests: mails become files, and `POST /?control` runs a command in the shop.
 */
add_filter( 'pre_wp_mail', static function ( $done, array $mail ): bool {
	file_put_contents( getenv( 'WORDPRESS_MAILS' ), wp_json_encode( [ 'to' => $mail['to'], 'subject' => $mail['subject'], 'message' => $mail['message'] ] ) . "\n", FILE_APPEND | LOCK_EX );
	return true;
}, 10, 2 );

// An order with this field loses its process at the hook. The process ends as after kill -9: without answer or shutdown.
foreach ( [ 'woocommerce_order_status_processing', 'woocommerce_payment_complete', 'woocommerce_create_refund', 'woocommerce_refund_created', 'woocommerce_order_status_cancelled', 'woocommerce_order_status_on-hold' ] as $hook ) {
	add_action( $hook, static function ( $about ) use ( $hook ): void {
		$refund = is_object( $about ) ? $about : wc_get_order( $about );
		$order  = $refund instanceof WC_Order ? $refund : wc_get_order( $refund->get_parent_id() );
		if ( $hook === $order->get_meta( '_test_die' ) ) {
			Stand_In_Store::set_meta( $order->get_id(), '_test_die', '' );
			http_response_code( 500 );
			exit( 'killed' );
		}
	}, 5 );
}

add_action( 'wp', static function (): void {
	if ( ! isset( $_GET['control'] ) ) {
		return;
	}
	$command = json_decode( file_get_contents( 'php://input' ), true );
	$name    = 'control_' . $command['do'];
	try {
		wp_send_json( [ 'result' => $name( $command ) ] );
	} catch ( Throwable $error ) {
		wp_send_json( [ 'error' => get_class( $error ) . ': ' . $error->getMessage() ], 500 );
	}
}, 1 );

/** Sets options. */
function control_options( array $command ) {
	foreach ( $command['options'] as $name => $value ) {
		null === $value ? delete_option( $name ) : update_option( $name, $value );
	}
	return true;
}

/** Creates an order and starts its payment, as the checkout does. */
function control_buy( array $command ) {
	wp_get_current_user();
	$product           = (int) get_option( 'stand_in_product' );
	WC()->cart->items  = [ [ 'product' => $product, 'quantity' => $command['quantity'] ?? 1 ] ];
	WC()->cart->total  = (float) ( $command['total'] ?? 1500 );
	$order             = stand_in_order_of_cart( [ 'first_name' => 'Ana', 'phone' => '900000000', 'email' => 'ana@example.com' ], $command['method'] );
	$_POST             = [ 'balcao_phone' => $command['phone'] ?? '' ];
	$result            = WC()->payment_gateways()->payment_gateways()[ $command['method'] ]->process_payment( $order->get_id() );
	if ( 'success' !== ( $result['result'] ?? '' ) ) {
		throw new RuntimeException( implode( ' ', wc_get_notices( 'error' ) ) );
	}
	return control_order( [ 'id' => $order->get_id() ] ) + [ 'redirect' => $result['redirect'] ];
}

/** The order as it is now. */
function control_order( array $command ) {
	$order = wc_get_order( $command['id'] );
	$meta  = array_column( $order->get_meta_data(), 'value', 'key' );
	return [
		'id'       => $order->get_id(),
		'key'      => $order->get_order_key(),
		'status'   => $order->get_status(),
		'method'   => $order->get_payment_method(),
		'paidAt'   => (string) $order->get_meta( '_date_paid' ),
		'transactionId' => $order->get_transaction_id(),
		'reduced'  => array_sum( array_column( (array) ( $meta['_stand_in_items'] ?? [] ), 'reduced' ) ),
		'notes'    => array_column( wc_get_order_notes( [ 'order_id' => $order->get_id() ] ), 'content' ),
		'refunds'  => array_map( static fn( $refund ) => [ 'amount' => $refund->get_amount(), 'reason' => $refund->get_reason(), 'of' => $refund->get_meta( '_balcao_refund_id' ) ], $order->get_refunds() ),
		'meta'     => $meta,
	];
}

function control_orders( array $command ) { return array_map( static fn( $id ) => control_order( [ 'id' => $id ] ), $command['ids'] ); }

function control_meta( array $command ) {
	Stand_In_Store::set_meta( $command['id'], $command['key'], $command['value'] );
	return true;
}

function control_status( array $command ) { return wc_get_order( $command['id'] )->update_status( $command['status'] ); }

function control_delete( array $command ) { return wc_get_order( $command['id'] )->delete( $command['forced'] ); }

function control_refund( array $command ) {
	$result = wc_create_refund( [ 'order_id' => $command['id'], 'amount' => $command['amount'], 'reason' => $command['reason'] ?? '', 'refund_payment' => $command['rail'] ?? true ] );
	return is_wp_error( $result ) ? $result->get_error_message() : $result->get_id();
}

/** Runs a hook of the schedules now. */
function control_run( array $command ) {
	do_action_ref_array( $command['hook'], $command['arguments'] ?? [] );
	return true;
}

/** Runs all single events of WP-Cron now, also those of later. */
function control_cron( array $command ) {
	$ran = 0;
	foreach ( _get_cron_array() as $time => $hooks ) {
		foreach ( $hooks as $hook => $events ) {
			foreach ( $events as $event ) {
				if ( ! $event['schedule'] && 0 === strpos( $hook, 'balcao_' ) ) {
					wp_unschedule_event( $time, $hook, $event['args'] );
					do_action_ref_array( $hook, $event['args'] );
					++$ran;
				}
			}
		}
	}
	return $ran;
}

/** Another worker runs the command while this process keeps what it has read of the order. Then this process runs it. */
function control_both( array $command ) {
	wc_get_order( $command['id'] )->get_refunds();
	wp_remote_post( home_url( '/?control' ), [ 'timeout' => 60, 'body' => wp_json_encode( $command['command'] ) ] );
	return ( 'control_' . $command['command']['do'] )( $command['command'] );
}

/** Deletes the plug-in's data, as the page of plug-ins does before it deletes the files. */
function control_uninstall( array $command ) {
	global $wpdb;
	require_once ABSPATH . 'wp-admin/includes/plugin.php';
	do_action( 'deactivate_balcao/balcao.php' );
	uninstall_plugin( 'balcao/balcao.php' );
	$left = "SELECT option_name FROM $wpdb->options WHERE option_name LIKE '%balcao%' OR option_value LIKE '%balcao_sync_later%'";
	return $wpdb->get_col( $left );
}

function control_stock( array $command ) {
	global $wpdb;
	return (int) $wpdb->get_var( $wpdb->prepare( "SELECT meta_value FROM $wpdb->postmeta WHERE post_id = %d AND meta_key = '_stock'", get_option( 'stand_in_product' ) ) );
}

function control_call( array $command ) { return $command['function']( ...array_map( static fn( $one ) => is_array( $one ) && isset( $one['order'] ) ? wc_get_order( $one['order'] ) : $one, $command['arguments'] ) ); }
