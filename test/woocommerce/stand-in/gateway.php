<?php
/**
 * Settings and payment methods.
 * https://developer.woocommerce.com/docs/settings-api
 * https://woocommerce.github.io/code-reference/classes/WC-Settings-API.html
 */
abstract class WC_Settings_API {
	public $plugin_id   = 'woocommerce_';
	public $id          = '';
	public $settings    = [];
	public $form_fields = [];

	public function init_form_fields() {}
	public function get_option_key() { return "$this->plugin_id{$this->id}_settings"; }
	public function init_settings() { $this->settings = (array) get_option( $this->get_option_key(), [] ) + array_map( static fn( $field ) => $field['default'] ?? '', $this->form_fields ); }

	public function get_option( $key, $empty = null ) {
		$value = $this->settings[ $key ] ?? $this->form_fields[ $key ]['default'] ?? '';
		return '' === $value && null !== $empty ? $empty : $value;
	}

	/** The stand-in has no page of settings. */
	public function process_admin_options() { return false; }
}

/**
 * https://developer.woocommerce.com/docs/woocommerce-payment-gateway-api
 * https://woocommerce.github.io/code-reference/classes/WC-Payment-Gateway.html
 */
abstract class WC_Payment_Gateway extends WC_Settings_API {
	public $title, $description, $method_title = '', $method_description = '';
	public $enabled    = 'yes';
	public $has_fields = false;
	public $supports   = [ 'products' ];

	public function init_settings() {
		parent::init_settings();
		$this->enabled = 'yes' === ( $this->settings['enabled'] ?? '' ) ? 'yes' : 'no';
	}

	public function get_title() { return apply_filters( 'woocommerce_gateway_title', $this->title, $this->id ); }
	public function get_description() { return apply_filters( 'woocommerce_gateway_description', $this->description, $this->id ); }
	public function supports( $feature ) { return in_array( $feature, $this->supports, true ); }
	public function is_available() { return 'yes' === $this->enabled; }
	public function needs_setup() { return false; }
	public function has_fields() { return $this->has_fields; }
	public function payment_fields() { echo esc_html( $this->description ); }
	public function validate_fields() { return true; }
	public function process_payment( $order_id ) { return []; }
	public function process_refund( $order_id, $amount = null, $reason = '' ) { return false; }
	public function can_refund_order( $order ) { return $order && $this->supports( 'refunds' ); }
	public function get_return_url( $order = null ) { return apply_filters( 'woocommerce_get_return_url', $order ? $order->get_checkout_order_received_url() : wc_get_checkout_url(), $order ); }

	protected function get_order_total() {
		$order = wc_get_order( absint( get_query_var( 'order-pay' ) ) );
		return $order ? (float) $order->get_total() : ( WC()->cart ? (float) WC()->cart->total : 0 );
	}
}

/** https://woocommerce.github.io/code-reference/classes/WC-Payment-Gateways.html */
final class WC_Payment_Gateways {
	private array $gateways = [];

	public function __construct() {
		foreach ( apply_filters( 'woocommerce_payment_gateways', [] ) as $class ) {
			$gateway                        = is_string( $class ) ? new $class() : $class;
			$this->gateways[ $gateway->id ] = $gateway;
		}
	}

	public function payment_gateways() { return $this->gateways; }
	public function get_available_payment_gateways() { return apply_filters( 'woocommerce_available_payment_gateways', array_filter( $this->gateways, static fn( $one ) => $one->is_available() ) ); }
}
