<?php
/**
 * Settings and payment methods.
 * https://developer.woocommerce.com/docs/settings-api
 * https://woocommerce.github.io/code-reference/classes/WC-Settings-API.html
 */
abstract class WC_Settings_API {
	public $plugin_id   = 'woocommerce_';
	public $id          = '';
	public $errors      = [];
	public $settings    = [];
	public $form_fields = [];

	public function init_form_fields() {}
	public function get_form_fields() { return $this->form_fields; }
	public function get_option_key() { return "$this->plugin_id{$this->id}_settings"; }
	public function get_field_key( $key ) { return "$this->plugin_id{$this->id}_$key"; }
	public function init_settings() { $this->settings = (array) get_option( $this->get_option_key(), [] ) + array_map( static fn( $field ) => $field['default'] ?? '', $this->form_fields ); }

	public function get_option( $key, $empty = null ) {
		$value = $this->settings[ $key ] ?? $this->form_fields[ $key ]['default'] ?? '';
		return '' === $value && null !== $empty ? $empty : $value;
	}

	public function update_option( $key, $value = '' ) {
		$this->settings[ $key ] = $value;
		return update_option( $this->get_option_key(), $this->settings );
	}

	public function process_admin_options() {
		foreach ( $this->form_fields as $key => $field ) {
			$sent                   = isset( $_POST[ $this->get_field_key( $key ) ] ) ? sanitize_text_field( wp_unslash( $_POST[ $this->get_field_key( $key ) ] ) ) : null;
			$this->settings[ $key ] = 'checkbox' === $field['type'] ? ( null === $sent ? 'no' : 'yes' ) : (string) $sent;
		}
		return update_option( $this->get_option_key(), apply_filters( "woocommerce_settings_api_sanitized_fields_$this->id", $this->settings ) );
	}

	public function generate_settings_html( $fields = [], $echo = true ) {
		foreach ( $fields ?: $this->form_fields as $key => $field ) {
			$name  = esc_attr( $this->get_field_key( $key ) );
			$value = $this->get_option( $key );
			$input = "<input id='$name' name='$name' type='" . esc_attr( $field['type'] ) . "' value='" . esc_attr( 'checkbox' === $field['type'] ? 1 : $value ) . "'" . checked( $value, 'yes', false ) . '>';
			if ( 'select' === $field['type'] ) {
				$input = "<select id='$name' name='$name'>";
				foreach ( $field['options'] as $option => $text ) {
					$input .= sprintf( '<option value="%s"%s>%s</option>', esc_attr( $option ), selected( $value, $option, false ), esc_html( $text ) );
				}
				$input .= '</select>';
			}
			printf( '<tr><th><label for="%s">%s</label></th><td>%s</td></tr>', $name, esc_html( $field['title'] ?? '' ), $input );
		}
	}

	public function admin_options() {
		echo '<table class="form-table">';
		$this->generate_settings_html();
		echo '</table>';
	}
}

/**
 * https://developer.woocommerce.com/docs/woocommerce-payment-gateway-api
 * https://woocommerce.github.io/code-reference/classes/WC-Payment-Gateway.html
 */
abstract class WC_Payment_Gateway extends WC_Settings_API {
	public $title, $description, $chosen, $method_title = '', $method_description = '', $icon = '', $order_button_text;
	public $enabled    = 'yes';
	public $has_fields = false;
	public $supports   = [ 'products' ];
	public $max_amount = 0;

	public function init_settings() {
		parent::init_settings();
		$this->enabled = 'yes' === ( $this->settings['enabled'] ?? '' ) ? 'yes' : 'no';
	}

	public function get_title() { return apply_filters( 'woocommerce_gateway_title', $this->title, $this->id ); }
	public function get_description() { return apply_filters( 'woocommerce_gateway_description', $this->description, $this->id ); }
	public function get_method_title() { return $this->method_title; }
	public function get_icon() { return ''; }
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
