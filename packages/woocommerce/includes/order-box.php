<?php
// The box on the order's screen: state, fee and net amount, and buttons. For orders as posts and in tables (HPOS).

defined( 'ABSPATH' ) || exit;

add_action( 'add_meta_boxes', 'balcao_add_order_box' );
add_action( 'admin_post_balcao_order', 'balcao_run_order_action' );
add_action( 'admin_notices', 'balcao_show_order_notice' );
add_filter( 'woocommerce_shop_order_search_fields', 'balcao_add_search_keys' );
add_filter( 'woocommerce_order_table_search_query_meta_keys', 'balcao_add_search_keys' );
foreach ( [ 'manage_edit-shop_order_columns', 'manage_woocommerce_page_wc-orders_columns' ] as $balcao_hook ) {
	add_filter( $balcao_hook, static fn( array $columns ) => $columns + [ 'balcao' => 'Balcão' ] );
}
foreach ( [ 'manage_shop_order_posts_custom_column', 'manage_woocommerce_page_wc-orders_custom_column' ] as $balcao_hook ) {
	add_action( $balcao_hook, 'balcao_show_column', 10, 2 );
}

/** Lets the search of orders find the digits of a reference and the id of a payment. */
function balcao_add_search_keys( $keys ): array {
	return array_merge( (array) $keys, [ '_balcao_reference', '_balcao_printed', '_balcao_payment_id' ] );
}

function balcao_show_column( $column, $order ): void {
	$order = 'balcao' === $column ? wc_get_order( $order ) : null;
	if ( $order instanceof WC_Order && '' !== (string) $order->get_meta( '_balcao_payment_id' ) ) {
		echo esc_html( balcao_status_text( (string) $order->get_meta( '_balcao_status' ) ) ) . '<br>';
		echo '<code>' . esc_html( (string) $order->get_meta( '_balcao_reference' ) ) . '</code>';
	}
}

function balcao_add_order_box(): void {
	$screen = function_exists( 'wc_get_page_screen_id' ) ? wc_get_page_screen_id( 'shop-order' ) : 'shop_order';
	add_meta_box( 'balcao', 'Balcão', 'balcao_show_order_box', $screen, 'side', 'high' );
}

/** @param WP_Post|WC_Order $shown the screen of posts passes a post, HPOS an order */
function balcao_show_order_box( $shown ): void {
	$order = $shown instanceof WC_Order ? $shown : wc_get_order( $shown->ID );
	if ( ! $order || '' === (string) $order->get_meta( '_balcao_payment_id' ) ) {
		echo '<p>' . esc_html__( 'This order has no payment of Balcão yet.', 'balcao' ) . '</p>';
		return;
	}
	$of   = static fn( string $name ): string => (string) $order->get_meta( "_balcao_$name" );
	$rows = [
		__( 'Method', 'balcao' )      => balcao_method_text( $of( 'method' ) ),
		__( 'Status', 'balcao' )      => balcao_status_text( $of( 'status' ) ),
		__( 'Entity', 'balcao' )      => 'reference' === $of( 'method' ) ? $of( 'entity' ) : '',
		__( 'Reference', 'balcao' )   => $of( 'reference' ),
		__( 'Amount', 'balcao' )      => balcao_has_other_total( $order ) ? balcao_money( $of( 'amount' ), $order->get_currency() ) : '',
		__( 'Valid until', 'balcao' ) => balcao_has_open_payment( $order ) ? balcao_until_text( $of( 'expires' ) ) : '',
		__( 'Fee', 'balcao' )         => '' === $of( 'fee' ) ? '' : balcao_money( $of( 'fee' ), $order->get_currency() ),
		__( 'Net amount', 'balcao' )  => '' === $of( 'net' ) ? '' : balcao_money( $of( 'net' ), $order->get_currency() ),
	];
	echo '<table cellpadding="2" style="width:100%;text-align:left">';
	foreach ( array_filter( $rows ) as $label => $text ) {
		printf( '<tr><th scope="row">%s</th><td>%s</td></tr>', esc_html( $label ), esc_html( $text ) );
	}
	echo '</table>';
	$url = rtrim( balcao_settings()['url'], '/' ) . '/console/payments/' . rawurlencode( $of( 'payment_id' ) );
	printf( '<p><a href="%s" target="_blank" rel="noopener">%s</a></p>', esc_url( $url ), esc_html__( 'Open in the console of the gateway', 'balcao' ) );
	balcao_show_order_buttons( $order );
}

/** Prints the buttons. Their form stands at the end of the page, because the box is inside of another form. */
function balcao_show_order_buttons( WC_Order $order ): void {
	$is_unpaid  = ! $order->is_paid() && ! balcao_list( $order, '_balcao_paid' );
	$is_test    = 'yes' === balcao_settings()['test_mode'];
	$is_express = 'reference' !== $order->get_meta( '_balcao_method' );
	$is_changed = balcao_has_other_total( $order );
	$buttons    = array_filter( [
		'read'      => __( 'Read again', 'balcao' ),
		'push'      => $is_unpaid && $is_express ? __( 'Send the request again', 'balcao' ) : '',
		'reference' => $is_unpaid && ( $is_express || $is_changed ) ? __( 'Turn into a reference and send it', 'balcao' ) : '',
		'pay'       => $is_unpaid && $is_test ? __( 'Test: pay now', 'balcao' ) : '',
		'late'      => $is_unpaid && $is_test ? __( 'Test: pay late', 'balcao' ) : '',
	] );
	if ( isset( $buttons['push'] ) ) {
		printf(
			'<p><label for="balcao_to">%s</label><input form="balcao-order" class="widefat" id="balcao_to" name="phone" type="tel" value="%s"></p>',
			esc_html__( 'Mobile number', 'balcao' ),
			esc_attr( balcao_phone( $order->get_billing_phone() ) )
		);
	}
	foreach ( $buttons as $do => $text ) {
		printf( '<p><button form="balcao-order" class="button" name="do" value="%s">%s</button></p>', esc_attr( $do ), esc_html( $text ) );
	}
	add_action( 'admin_footer', static function () use ( $order ): void {
		printf( '<form id="balcao-order" method="post" action="%s"><input type="hidden" name="action" value="balcao_order">', esc_url( admin_url( 'admin-post.php' ) ) );
		printf( '<input type="hidden" name="order" value="%d">', (int) $order->get_id() );
		wp_nonce_field( 'balcao_order_' . $order->get_id(), 'balcao_nonce', false );
		echo '</form>';
	} );
}

/** Runs the action of a button, then shows the order again with a sentence. */
function balcao_run_order_action(): void {
	$id = isset( $_POST['order'] ) ? absint( $_POST['order'] ) : 0;
	check_admin_referer( "balcao_order_$id", 'balcao_nonce' );
	$order = wc_get_order( $id );
	if ( ! $order instanceof WC_Order || ! current_user_can( 'edit_shop_orders' ) ) {
		wp_die( esc_html__( 'You may not change this order.', 'balcao' ), '', [ 'response' => 403 ] );
	}
	$do    = isset( $_POST['do'] ) ? sanitize_key( $_POST['do'] ) : '';
	$phone = isset( $_POST['phone'] ) ? sanitize_text_field( wp_unslash( $_POST['phone'] ) ) : '';
	try {
		$notice = [ 'success', balcao_order_action( $order, $do, $phone ) ];
	} catch ( Throwable $error ) {
		$notice = [ 'error', balcao_reason( $error ) ];
	}
	set_transient( 'balcao_order_' . get_current_user_id(), $notice, 60 );
	wp_safe_redirect( $order->get_edit_order_url() );
	exit;
}

function balcao_order_action( WC_Order $order, string $do, string $phone ): string {
	switch ( $do ) {
		case 'push':
			return balcao_push_again( $order, $phone );
		case 'reference':
			$before = $order->get_status();
			$text   = balcao_turn_into_reference( $order );
			// The mail of a waiting order contains entity and reference. A change of the status has sent it already.
			$mail = WC()->mailer()->get_emails()['WC_Email_Customer_On_Hold_Order'] ?? null;
			$mail && wc_get_order( $order->get_id() )->get_status() === $before && $mail->trigger( $order->get_id() );
			return $text;
		case 'pay':
		case 'late':
			return balcao_test_pay( $order, 'late' === $do );
		default:
			balcao_sync_order( $order );
			return __( 'The order is as the gateway has it.', 'balcao' );
	}
}

function balcao_show_order_notice(): void {
	$notice = get_transient( 'balcao_order_' . get_current_user_id() );
	if ( is_array( $notice ) ) {
		delete_transient( 'balcao_order_' . get_current_user_id() );
		printf( '<div class="notice notice-%s is-dismissible"><p>%s</p></div>', esc_attr( $notice[0] ), esc_html( $notice[1] ) );
	}
}
