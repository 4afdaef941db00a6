<?php
/**
 * The checkout of blocks: registries, settings for scripts, and the store's checkout request.
 * https://developer.woocommerce.com/docs/block-development/cart-and-checkout-blocks/checkout-payment-methods/payment-method-integration
 */

namespace Automattic\WooCommerce\Blocks\Payments\Integrations {
	abstract class AbstractPaymentMethodType {
		protected $name     = '';
		protected $settings = [];
		public function get_name() { return $this->name; }
		public function initialize() {}
		public function is_active() { return true; }
		public function get_payment_method_script_handles() { return []; }
		public function get_payment_method_data() { return []; }
	}
}

namespace Automattic\WooCommerce\Blocks\Payments {
	final class PaymentMethodRegistry {
		private array $types = [];

		public function register( $type ) {
			$type->initialize();
			$this->types[ $type->get_name() ] = $type;
		}
		public function get_all_active_registered() { return array_filter( $this->types, static fn( $type ) => $type->is_active() ); }
	}
}

namespace {
	use Automattic\WooCommerce\Blocks\Payments\PaymentMethodRegistry;

	add_action( 'plugins_loaded', static fn() => do_action( 'woocommerce_blocks_loaded' ), 10 );

	function stand_in_block_methods(): array {
		static $registry = null;
		if ( ! $registry ) {
			$registry = new PaymentMethodRegistry();
			do_action( 'woocommerce_blocks_payment_method_type_registration', $registry );
		}
		return $registry->get_all_active_registered();
	}

	add_shortcode( 'stand_in_blocks', static function (): string {
		$needs = [ 'wp-element', 'wp-html-entities', 'wp-i18n' ];
		wp_register_script( 'wc-settings', false, [], WC_VERSION, true );
		wp_register_script( 'wc-blocks-registry', plugins_url( 'registry.js', __FILE__ ), $needs, WC_VERSION, true );
		$handles  = [ 'wc-settings', 'wc-blocks-registry' ];
		$settings = [];
		foreach ( stand_in_block_methods() as $name => $type ) {
			$settings[ "{$name}_data" ] = $type->get_payment_method_data();
			$handles                    = array_merge( $handles, $type->get_payment_method_script_handles() );
		}
		$settings['stand_in_total'] = WC()->cart->total;
		wp_add_inline_script( 'wc-settings', 'window.wc = window.wc || {}; window.wc.wcSettings = { getSetting: ( name, other ) => ( ' . wp_json_encode( $settings ) . ' )[ name ] ?? other };' );
		wp_enqueue_script( 'stand-in-checkout', plugins_url( 'checkout.js', __FILE__ ), array_unique( $handles ), WC_VERSION, true );
		return sprintf( '<div id="checkout" data-address="%s"></div>', esc_url( rest_url( 'wc/store/v1/checkout' ) ) );
	} );

	/**
	 * https://developer.woocommerce.com/docs/apis/store-api/resources-endpoints/checkout. A gateway without an own
	 * integration finds the payment data in the posted fields, and its result has the address of the next page.
	 */
	add_action( 'rest_api_init', static function (): void {
		register_rest_route( 'wc/store/v1', '/checkout', [ 'methods' => 'POST', 'permission_callback' => '__return_true', 'callback' => static function ( WP_REST_Request $request ) {
			foreach ( (array) $request['payment_data'] as $pair ) {
				$_POST[ $pair['key'] ] = wp_slash( wc_clean( $pair['value'] ) );
			}
			$address = stand_in_pay( $request['payment_method'], (array) $request['billing_address'] );
			return $address ? [ 'payment_result' => [ 'payment_status' => 'success', 'redirect_url' => $address ] ]
				: new WP_Error( 'woocommerce_rest_payment_error', implode( ' ', wc_get_notices( 'error' ) ), [ 'status' => 400 ] );
		} ] );
	} );
}
