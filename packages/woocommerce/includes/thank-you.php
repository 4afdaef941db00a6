<?php
// Entity and reference on the thank-you page, in the account and in mails.

defined( 'ABSPATH' ) || exit;

foreach ( BALCAO_METHODS as $balcao_method ) {
	add_action( "woocommerce_thankyou_balcao_$balcao_method", 'balcao_show_on_page' );
}
add_action( 'woocommerce_view_order', 'balcao_show_on_page', 5 );
add_action( 'woocommerce_email_before_order_table', 'balcao_show_in_mail', 10, 3 );

/** True while the buyer has to pay. */
function balcao_is_payable( WC_Order $order ): bool {
	$is_ours = '' !== balcao_method_of( $order ) && balcao_has_open_payment( $order );
	return $is_ours && ! $order->is_paid() && ! $order->has_status( 'cancelled' );
}

/** The facts for the payment of an open reference: label, text, and the text for copying. Otherwise empty. */
function balcao_payment_rows( WC_Order $order ): array {
	if ( ! balcao_is_payable( $order ) || 'reference' !== $order->get_meta( '_balcao_method' ) ) {
		return [];
	}
	$entity = (string) $order->get_meta( '_balcao_entity' );
	$digits = (string) $order->get_meta( '_balcao_reference' );
	// A person may have changed the order's total since, but the reference takes its own amount.
	$amount = (string) $order->get_meta( '_balcao_amount' );
	return [
		[ __( 'Entity', 'balcao' ), $entity, $entity ],
		[ __( 'Reference', 'balcao' ), balcao_print_reference( $digits ), $digits ],
		[ __( 'Amount', 'balcao' ), balcao_money( '' === $amount ? $order->get_total() : $amount, $order->get_currency() ), '' ],
		[ __( 'Valid until', 'balcao' ), balcao_until_text( (string) $order->get_meta( '_balcao_expires' ) ), '' ],
	];
}

function balcao_show_on_page( $order_id ): void {
	$order = wc_get_order( $order_id );
	if ( ! $order instanceof WC_Order || ! balcao_is_payable( $order ) ) {
		return;
	}
	wp_enqueue_style( 'balcao-pay', plugins_url( 'assets/balcao.css', BALCAO_FILE ), [], BALCAO_VERSION );
	wp_enqueue_script( 'balcao-copy', plugins_url( 'assets/copy.js', BALCAO_FILE ), [], BALCAO_VERSION, true );
	echo '<section class="balcao-reference">';
	$rows = balcao_payment_rows( $order );
	if ( $rows ) {
		echo '<h2>' . esc_html__( 'Pay with this reference', 'balcao' ) . '</h2><dl>';
		foreach ( $rows as [ $label, $text, $copied ] ) {
			$button = '' === $copied ? '' : sprintf(
				' <button type="button" class="button" hidden data-balcao-copy="%s" data-done="%s">%s</button>',
				esc_attr( $copied ),
				esc_attr__( 'Copied', 'balcao' ),
				esc_html__( 'Copy', 'balcao' )
			);
			printf( '<div><dt>%s</dt><dd><span translate="no">%s</span>%s</dd></div>', esc_html( $label ), esc_html( $text ), $button ); // phpcs:ignore WordPress.Security.EscapeOutput
		}
		echo '</dl><p>' . esc_html( balcao_reference_advice() ) . '</p>';
	} else {
		echo '<p>' . esc_html__( 'This order is not paid yet.', 'balcao' ) . '</p>';
	}
	$page = (string) $order->get_meta( '_balcao_checkout_url' );
	$open = __( 'Open the page of the payment', 'balcao' );
	printf( '<p><a class="button" href="%s">%s</a></p></section>', esc_url( $page ), esc_html( $open ) );
}

function balcao_reference_advice(): string {
	return __( 'At an ATM, in Multicaixa Express or in internet banking, choose “Pagamento por Referência” and type entity, reference and amount.', 'balcao' );
}

/** @param bool $to_shop mails to the shop need no instructions */
function balcao_show_in_mail( $order, $to_shop = false, $is_plain = false ): void {
	$rows = $to_shop || ! $order instanceof WC_Order ? [] : balcao_payment_rows( $order );
	if ( ! $rows ) {
		return;
	}
	$page = (string) $order->get_meta( '_balcao_checkout_url' );
	if ( $is_plain ) {
		echo "\n" . esc_html__( 'Pay with this reference', 'balcao' ) . "\n\n";
		foreach ( $rows as [ $label, $text ] ) {
			echo esc_html( "$label: $text" ) . "\n";
		}
		echo "\n" . esc_html( balcao_reference_advice() ) . "\n" . esc_url_raw( $page ) . "\n\n";
		return;
	}
	echo '<h2>' . esc_html__( 'Pay with this reference', 'balcao' ) . '</h2><table cellspacing="0" cellpadding="8" border="1" style="width:100%;border-collapse:collapse;margin-bottom:16px">';
	foreach ( $rows as [ $label, $text ] ) {
		printf( '<tr><th scope="row" style="text-align:left">%s</th><td style="font-size:20px;font-weight:bold">%s</td></tr>', esc_html( $label ), esc_html( $text ) );
	}
	printf( '</table><p>%s</p>', esc_html( balcao_reference_advice() ) );
	printf( '<p><a href="%s">%s</a></p>', esc_url( $page ), esc_html__( 'Open the page of the payment', 'balcao' ) );
}
