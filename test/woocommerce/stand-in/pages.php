<?php
/**
 * The checkout, the payment page and the thank-you page, by the shortcode of the classic checkout.
 * https://developer.woocommerce.com/docs/woocommerce-endpoints
 * https://woocommerce.com/document/woocommerce-shortcodes/ ([woocommerce_checkout])
 */
add_action( 'init', static function (): void {
	add_rewrite_endpoint( 'order-pay', EP_PAGES );
	add_rewrite_endpoint( 'order-received', EP_PAGES );
}, 5 );
add_shortcode( 'woocommerce_checkout', 'stand_in_checkout' );

function wc_get_page_id( $page ) { return (int) get_option( "woocommerce_{$page}_page_id", -1 ); }
function wc_get_checkout_url() { return get_permalink( wc_get_page_id( 'checkout' ) ); }
function wc_get_endpoint_url( $endpoint, $value = '', $permalink = '' ) { return trailingslashit( $permalink ) . "$endpoint/$value/"; }
function is_checkout() { return is_page( wc_get_page_id( 'checkout' ) ); }

/** Creates the order of the cart, as both checkouts do. */
function stand_in_order_of_cart( array $fields, string $method ): WC_Order {
	$order   = wc_create_order();
	$gateway = WC()->payment_gateways()->payment_gateways()[ $method ];
	foreach ( $fields as $name => $value ) {
		$order->update_meta_data( "_billing_$name", $value );
	}
	$order->update_meta_data( '_stand_in_items', WC()->cart->items );
	$order->update_meta_data( '_total', wc_format_decimal( WC()->cart->total, 2 ) );
	$order->update_meta_data( '_created_via', 'checkout' );
	$order->set_payment_method( $method );
	$order->set_payment_method_title( $gateway->get_title() );
	$order->save();
	do_action( 'woocommerce_checkout_order_processed', $order->get_id(), $fields, $order );
	return $order;
}

/**
 * Pays an order, or that of the cart, as both checkouts do. The address of the next page, or '' with notices.
 * https://developer.woocommerce.com/docs/woocommerce-payment-gateway-api (process_payment and its result)
 */
function stand_in_pay( string $method, array $fields, $order = false ): string {
	$gateway = WC()->payment_gateways()->get_available_payment_gateways()[ $method ] ?? null;
	if ( ! $gateway || ( ! $order && WC()->cart->is_empty() ) || false === $gateway->validate_fields() || wc_notice_count( 'error' ) ) {
		return '';
	}
	$order = $order ?: stand_in_order_of_cart( $fields, $method );
	$order->set_payment_method( $method );
	$order->set_payment_method_title( $gateway->get_title() );
	$order->save();
	$result = $gateway->process_payment( $order->get_id() );
	if ( 'success' !== ( $result['result'] ?? '' ) ) {
		return '';
	}
	WC()->cart->empty_cart();
	return apply_filters( 'woocommerce_payment_successful_result', $result, $order->get_id() )['redirect'];
}

add_action( 'wp', static function (): void {
	$posted = wc_clean( wp_unslash( $_POST ) );
	if ( ! isset( $posted['payment_method'] ) || ! is_checkout() || ! wp_verify_nonce( $posted['_wpnonce'] ?? '', 'woocommerce-process_checkout' ) ) {
		return;
	}
	$fields = [];
	foreach ( [ 'first_name', 'phone', 'email' ] as $name ) {
		$fields[ $name ] = $posted[ "billing_$name" ] ?? '';
	}
	$address = stand_in_pay( $posted['payment_method'], $fields, wc_get_order( absint( get_query_var( 'order-pay' ) ) ) );
	if ( $address ) {
		wp_redirect( $address );
		exit;
	}
} );

function stand_in_checkout(): string {
	ob_start();
	$pay      = wc_get_order( absint( get_query_var( 'order-pay' ) ) );
	$received = wc_get_order( absint( get_query_var( 'order-received' ) ) );
	$key      = sanitize_text_field( wp_unslash( $_GET['key'] ?? '' ) );
	wc_print_notices();
	if ( $received && $received->key_is_valid( $key ) ) {
		do_action( 'woocommerce_before_thankyou', $received->get_id() );
		printf( '<p class="woocommerce-thankyou-order-received">Thank you. Order %s: <b id="status">%s</b>, %s</p>', esc_html( $received->get_order_number() ), esc_html( $received->get_status() ), wc_price( $received->get_total() ) );
		do_action( 'woocommerce_thankyou_' . $received->get_payment_method(), $received->get_id() );
		do_action( 'woocommerce_thankyou', $received->get_id() );
	} elseif ( $pay && $pay->key_is_valid( $key ) && isset( $_GET['pay_for_order'] ) ) {
		$pay->needs_payment() ? stand_in_form( '' ) : print( '<p>This order cannot be paid.</p>' );
	} elseif ( $pay && $pay->key_is_valid( $key ) ) {
		printf( '<p>Order %s, %s</p>', esc_html( $pay->get_order_number() ), wc_price( $pay->get_total() ) );
		do_action( 'woocommerce_receipt_' . $pay->get_payment_method(), $pay->get_id() );
	} elseif ( WC()->cart && ! WC()->cart->is_empty() ) {
		stand_in_form( '<p><label for="billing_first_name">Name</label> <input id="billing_first_name" name="billing_first_name"></p><p><label for="billing_phone">Phone</label> <input id="billing_phone" name="billing_phone"></p><p><label for="billing_email">E-mail</label> <input id="billing_email" name="billing_email"></p>' . wc_price( WC()->cart->total ) );
	} else {
		echo '<p>Your cart is empty.</p>';
	}
	return ob_get_clean();
}

function stand_in_form( string $fields ): void {
	echo '<form method="post" class="checkout woocommerce-checkout">', $fields;
	wp_nonce_field( 'woocommerce-process_checkout' );
	echo '<ul class="wc_payment_methods">';
	foreach ( WC()->payment_gateways()->get_available_payment_gateways() as $gateway ) {
		printf( '<li><input type="radio" name="payment_method" id="payment_method_%1$s" value="%1$s" required> <label for="payment_method_%1$s">%2$s</label><div class="payment_box">', esc_attr( $gateway->id ), esc_html( $gateway->get_title() ) );
		$gateway->payment_fields();
		echo '</div></li>';
	}
	echo '</ul><button type="submit" id="place_order" name="woocommerce_checkout_place_order" value="1">Place order</button></form>';
}
