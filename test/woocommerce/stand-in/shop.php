<?php
/**
 * The shop object, its cart, notices, amounts, the log and mails.
 * https://woocommerce.github.io/code-reference/classes/WooCommerce.html
 */
final class WooCommerce {
	public $version = WC_VERSION;
	public ?Stand_In_Cart $cart = null;
	private ?WC_Payment_Gateways $gateways = null;
	private ?WC_Emails $mailer = null;

	public static function instance(): self {
		static $shop = null;
		return $shop ??= new self();
	}

	public function payment_gateways() { return $this->gateways ??= new WC_Payment_Gateways(); }
	public function mailer() { return $this->mailer ??= new WC_Emails(); }
}

function WC() { return WooCommerce::instance(); }

/** https://woocommerce.github.io/code-reference/classes/WC-Cart.html. The visitor's cookie has one product and its quantity. */
final class Stand_In_Cart {
	public float $total = 0;
	public array $items = [];

	public function __construct() {
		[ $product, $quantity ] = array_map( 'absint', explode( 'x', ( $_COOKIE['stand_in_cart'] ?? '0x0' ) . 'x0' ) );
		if ( $quantity && wc_get_product( $product ) ) {
			$this->items = [ [ 'product' => $product, 'quantity' => $quantity ] ];
			$this->total = $quantity * (float) wc_get_product( $product )->get_price();
		}
	}

	public function is_empty() { return ! $this->items; }
	public function empty_cart( $clear = true ) {
		$this->items = [];
		$this->total = 0;
		headers_sent() || setcookie( 'stand_in_cart', '', 1, '/' );
	}
}

add_action( 'wp_loaded', static function (): void {
	if ( is_admin() || wp_doing_cron() ) {
		return;
	}
	if ( isset( $_GET['add-to-cart'] ) ) {
		$_COOKIE['stand_in_cart'] = absint( $_GET['add-to-cart'] ) . 'x' . max( 1, absint( $_GET['quantity'] ?? 1 ) );
		setcookie( 'stand_in_cart', $_COOKIE['stand_in_cart'], 0, '/' );
	}
	WC()->cart = new Stand_In_Cart();
} );

/** https://woocommerce.github.io/code-reference/files/woocommerce-includes-wc-notice-functions.html */
function wc_add_notice( $text, $type = 'success', $data = [] ) { $GLOBALS['stand_in_notices'][ $type ][] = $text; }
function wc_notice_count( $type = '' ) { return count( $GLOBALS['stand_in_notices'][ $type ] ?? [] ); }
function wc_get_notices( $type = '' ) { return $GLOBALS['stand_in_notices'][ $type ] ?? []; }
function wc_print_notices() {
	foreach ( $GLOBALS['stand_in_notices'] ?? [] as $type => $texts ) {
		foreach ( $texts as $text ) {
			printf( '<div class="woocommerce-%s" role="alert">%s</div>', esc_attr( $type ), wp_kses_post( $text ) );
		}
	}
}

/** https://woocommerce.github.io/code-reference/files/woocommerce-includes-wc-formatting-functions.html */
function wc_format_decimal( $number, $decimals = false, $trim = false ) { return number_format( (float) str_replace( ',', '.', (string) $number ), false === $decimals ? 2 : (int) $decimals, '.', '' ); }
function wc_price( $amount, $args = [] ) { return '<span class="woocommerce-Price-amount">' . esc_html( number_format( (float) $amount, 2, ',', ' ' ) . ' Kz' ) . '</span>'; }
function wc_clean( $value ) { return is_array( $value ) ? array_map( 'wc_clean', $value ) : sanitize_text_field( $value ); }
function get_woocommerce_currency() { return apply_filters( 'woocommerce_currency', get_option( 'woocommerce_currency', 'AOA' ) ); }

/** https://developer.woocommerce.com/docs/logging-in-woocommerce. The log of PHP has the lines. */
function wc_get_logger() {
	return new class() {
		public function __call( string $level, array $arguments ) { error_log( "{$arguments[1]['source']} $level: $arguments[0]" ); }
	};
}

/**
 * Mails to buyers, with the hook in which plug-ins add text. Shops send more of them.
 * https://woocommerce.github.io/code-reference/classes/WC-Emails.html
 * https://woocommerce.github.io/code-reference/classes/WC-Email.html
 */
class WC_Email {
	public function __construct( public string $id, private string $subject ) {}

	public function trigger( $order_id, $order = false ) {
		$order = $order ?: wc_get_order( $order_id );
		ob_start();
		printf( '<h1>%s %s</h1>', esc_html( $this->subject ), esc_html( $order->get_order_number() ) );
		do_action( 'woocommerce_email_before_order_table', $order, false, false, $this );
		printf( '<table><tr><th>Total</th><td>%s</td></tr></table>', wc_price( $order->get_total() ) );
		do_action( 'woocommerce_email_after_order_table', $order, false, false, $this );
		wp_mail( $order->get_billing_email() ?: 'buyer@example.com', "$this->subject {$order->get_order_number()}", ob_get_clean(), [ 'Content-Type: text/html' ] );
	}
}

final class WC_Emails {
	private array $emails;

	public function __construct() {
		$this->emails = [
			'WC_Email_Customer_On_Hold_Order'    => new WC_Email( 'customer_on_hold_order', 'Order on hold' ),
			'WC_Email_Customer_Processing_Order' => new WC_Email( 'customer_processing_order', 'Order received' ),
		];
	}
	public function get_emails() { return $this->emails; }
}

foreach ( [ 'pending', 'failed', 'cancelled' ] as $from ) {
	add_action( "woocommerce_order_status_{$from}_to_on-hold", static fn( $id, $order ) => WC()->mailer()->get_emails()['WC_Email_Customer_On_Hold_Order']->trigger( $id, $order ), 10, 2 );
}
add_action( 'woocommerce_order_status_processing', static fn( $id, $order ) => WC()->mailer()->get_emails()['WC_Email_Customer_Processing_Order']->trigger( $id, $order ), 10, 2 );
