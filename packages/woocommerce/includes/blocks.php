<?php
// The payment methods in the checkout of blocks.

use Automattic\WooCommerce\Blocks\Payments\Integrations\AbstractPaymentMethodType;

defined( 'ABSPATH' ) || exit;

add_action( 'woocommerce_blocks_payment_method_type_registration', static function ( $registry ): void {
	foreach ( BALCAO_METHODS as $method ) {
		$registry->register( new Balcao_Blocks( "balcao_$method" ) );
	}
} );

/** One payment method of Balcão in the checkout of blocks. */
final class Balcao_Blocks extends AbstractPaymentMethodType {
	public function __construct( string $name ) {
		$this->name = $name;
	}

	public function initialize() {}

	/** The gateway of the classic checkout decides, so that both checkouts offer the same methods. */
	private function gateway(): ?WC_Payment_Gateway {
		return WC()->payment_gateways()->payment_gateways()[ $this->name ] ?? null;
	}

	public function is_active() {
		$gateway = $this->gateway();
		return $gateway && $gateway->is_available();
	}

	public function get_payment_method_script_handles() {
		$needs = [ 'wc-blocks-registry', 'wc-settings', 'wp-element', 'wp-html-entities' ];
		wp_register_script( 'balcao-blocks', plugins_url( 'assets/blocks.js', BALCAO_FILE ), $needs, BALCAO_VERSION, true );
		return [ 'balcao-blocks' ];
	}

	public function get_payment_method_data() {
		$gateway = $this->gateway();
		return [
			'title'       => $gateway->get_title(),
			'description' => $gateway->get_description(),
			'test'        => 'yes' === balcao_settings()['test_mode'] ? __( 'Test environment: no real money moves.', 'balcao' ) : '',
			'phone'       => $gateway->has_fields ? __( 'Mobile number with Multicaixa Express', 'balcao' ) : '',
			'wrong'       => __( 'Type a mobile number of Angola: nine digits that begin with 9.', 'balcao' ),
			'supports'    => array_values( $gateway->supports ),
		];
	}
}
