<?php
// The three payment methods of the checkout. They share the connection, which has a settings page of its own.

defined( 'ABSPATH' ) || exit;

/** A payment method of Balcão. */
final class Balcao_Gateway extends WC_Payment_Gateway {
	/** `express`, `qrcode` or `reference`. */
	private string $method;

	public function __construct( string $method ) {
		$this->method       = $method;
		$this->id           = "balcao_$method";
		$this->method_title = 'Balcão: ' . balcao_method_text( $method );
		$this->supports     = [ 'products', 'refunds' ];
		$this->has_fields   = 'express' === $method;
		$this->init_form_fields();
		$this->init_settings();
		$this->title       = $this->get_option( 'title' );
		$this->description = $this->get_option( 'description' );
		// The owner reads here why the method is not offered.
		$reason                   = balcao_unavailable_reason();
		$this->method_description = '' === $reason ? $this->form_fields['description']['default'] : $reason;
		add_action( "woocommerce_update_options_payment_gateways_$this->id", [ $this, 'process_admin_options' ] );
		add_action( "woocommerce_receipt_$this->id", [ $this, 'show_payment' ] );
	}

	public function init_form_fields() {
		$name        = balcao_method_text( $this->method );
		$reference   = __( 'You pay at an ATM, in Multicaixa Express or in internet banking, within a few days.', 'balcao' );
		$description = [
			'express'   => __( 'You accept the payment in the app on your phone.', 'balcao' ),
			'qrcode'    => __( 'You scan a code with the Multicaixa Express app.', 'balcao' ),
			'reference' => $reference,
		][ $this->method ];
		$this->form_fields = [
			'enabled'     => [ 'title' => __( 'Offer', 'balcao' ), 'type' => 'checkbox', 'label' => $name, 'default' => 'yes' ],
			'title'       => [ 'title' => __( 'Title', 'balcao' ), 'type' => 'text', 'default' => $name ],
			'description' => [ 'title' => __( 'Description', 'balcao' ), 'type' => 'textarea', 'default' => $description ],
		];
		$keeps  = __( 'WooCommerce keeps the goods until then.', 'balcao' );
		$days   = [ 'title' => __( 'Days to pay', 'balcao' ), 'type' => 'number', 'default' => '3', 'description' => $keeps ];
		$places = [ 'widget' => __( 'On a page of this shop', 'balcao' ), 'page' => __( 'On the page of the gateway', 'balcao' ) ];
		$show   = [ 'title' => __( 'Where the buyer pays', 'balcao' ), 'type' => 'select', 'default' => 'widget', 'options' => $places ];
		$this->form_fields += 'reference' === $this->method ? [ 'days' => $days ] : [ 'show' => $show ];
	}

	public function needs_setup() {
		return ! balcao_is_connected();
	}

	public function is_available() {
		if ( ! parent::is_available() || '' !== balcao_unavailable_reason() ) {
			return false;
		}
		// The administration has no cart, and therefore no total.
		$has_total = WC()->cart || absint( get_query_var( 'order-pay' ) );
		$total     = $has_total ? balcao_minor( $this->get_order_total() ) : 0;
		$limits    = array_filter( balcao_settings() ) + [ 'min_amount' => '0.01', 'max_amount' => '10000000' ];
		$is_enough = $total >= balcao_minor( $limits['min_amount'] ) && $total <= balcao_minor( $limits['max_amount'] );
		return 0 === $total || $is_enough;
	}

	public function payment_fields() {
		echo wp_kses_post( wpautop( (string) $this->description ) );
		if ( 'yes' === balcao_settings()['test_mode'] ) {
			echo '<p><strong>' . esc_html__( 'Test environment: no real money moves.', 'balcao' ) . '</strong></p>';
		}
		if ( $this->has_fields ) {
			echo '<p class="form-row form-row-wide"><label for="balcao_phone">'
				. esc_html__( 'Mobile number with Multicaixa Express', 'balcao' ) . '</label>'
				. '<input id="balcao_phone" name="balcao_phone" type="tel" autocomplete="tel-national" class="input-text"></p>';
		}
	}

	public function validate_fields() {
		if ( '' === $this->typed_phone() || '' !== balcao_phone( $this->typed_phone() ) ) {
			return true;
		}
		wc_add_notice( __( 'Type a mobile number of Angola: nine digits that begin with 9.', 'balcao' ), 'error' );
		return false;
	}

	/** WooCommerce checks the nonce of the checkout before it calls a gateway. */
	private function typed_phone(): string {
		$typed = $this->has_fields ? wp_unslash( $_POST['balcao_phone'] ?? '' ) : ''; // phpcs:ignore WordPress.Security
		return sanitize_text_field( $typed );
	}

	public function process_payment( $order_id ) {
		try {
			$payment = balcao_pay( (int) $order_id, $this->method, (int) $this->get_option( 'days', '3' ) );
		} catch ( RuntimeException $error ) {
			balcao_log( "order $order_id: " . $error->getMessage() );
			$text = __( 'The payment could not be started. Try again, or choose another method.', 'balcao' );
			wc_add_notice( $error instanceof Balcao\Error ? $text : $error->getMessage(), 'error' );
			return [ 'result' => 'failure' ];
		}
		$phone = balcao_phone( $this->typed_phone() );
		if ( '' !== $phone && $payment && 'Pending' === $payment->status ) {
			try {
				balcao_push( $payment, $phone );
			} catch ( Balcao\Error $error ) {
				// The buyer can repeat the push on the next page.
				balcao_log( "push of order $order_id: " . $error->getMessage() );
			}
		}
		return [ 'result' => 'success', 'redirect' => $this->next_page( wc_get_order( $order_id ), $payment ) ];
	}

	private function next_page( WC_Order $order, ?Balcao\Result $payment ): string {
		if ( ! $payment || 'Paid' === $payment->status || 'PPR' === $payment->paymentType ) {
			return $this->get_return_url( $order );
		}
		return 'page' === $this->get_option( 'show' ) ? $payment->checkoutUrl : $order->get_checkout_payment_url( true );
	}

	/** Shows the widget on the order's payment page. */
	public function show_payment( $order_id ) {
		$order = wc_get_order( $order_id );
		$url   = rtrim( balcao_settings()['url'], '/' );
		wp_enqueue_script( 'balcao-widget', "$url/widget.js", [], null, true ); // phpcs:ignore WordPress.WP
		wp_enqueue_script( 'balcao-pay', plugins_url( 'assets/pay.js', BALCAO_FILE ), [], BALCAO_VERSION, true );
		printf(
			'<balcao-payment token="%s" gateway="%s" lang="%s" data-balcao-return="%s">'
			. '<p><a class="button" href="%s">%s</a></p></balcao-payment>',
			esc_attr( (string) $order->get_meta( '_balcao_token' ) ),
			esc_url( $url ),
			esc_attr( substr( determine_locale(), 0, 2 ) ),
			esc_url( $this->get_return_url( $order ) ),
			esc_url( (string) $order->get_meta( '_balcao_checkout_url' ) ),
			esc_html__( 'Pay on the page of the gateway', 'balcao' )
		);
	}

	public function can_refund_order( $order ) {
		return $order && '' !== (string) $order->get_transaction_id();
	}

	public function process_refund( $order_id, $amount = null, $reason = '' ) {
		return balcao_refund( (int) $order_id, wc_format_decimal( (string) $amount, 2 ), (string) $reason );
	}
}
