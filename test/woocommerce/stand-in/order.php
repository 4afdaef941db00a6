<?php
/**
 * Orders, their statuses, notes and queries.
 * https://woocommerce.github.io/code-reference/classes/WC-Order.html
 * https://woocommerce.com/document/managing-orders/order-statuses/
 */

/** https://developer.woocommerce.com/docs/developing-using-woocommerce-crud-objects (getters, setters, save, meta) */
abstract class WC_Abstract_Order {
	protected const TYPE  = '';
	protected int $id     = 0;
	protected string $status = 'pending';
	protected int $parent_id = 0;
	protected array $meta    = [];
	/** Only changed fields are written, so that two processes do not overwrite each other's other fields. */
	protected array $changed = [];

	public function __construct( int $id = 0 ) {
		if ( $id ) {
			$row = Stand_In_Store::row( $id );
			if ( ! $row || static::TYPE !== $row['type'] ) {
				throw new Exception( 'Invalid order.' );
			}
			$this->id        = $id;
			$this->status    = preg_replace( '/^wc-/', '', $row['status'] );
			$this->parent_id = $row['parent'];
			$this->meta      = Stand_In_Store::meta( $id );
		}
	}

	public function __call( string $name, array $arguments ) {
		// Fields without behaviour: get_billing_phone reads `_billing_phone`.
		if ( preg_match( '/^(get|set)_((?:billing|shipping)_\w+|currency|total|order_key|payment_method|payment_method_title|transaction_id|created_via|customer_id|amount|reason|refunded_payment)$/', $name, $match ) ) {
			return 'get' === $match[1] ? $this->get_meta( "_$match[2]" ) : $this->update_meta_data( "_$match[2]", $arguments[0] );
		}
		throw new BadMethodCallException( static::class . "::$name is not in the stand-in" );
	}

	public function get_id() { return $this->id; }
	public function get_parent_id() { return $this->parent_id; }
	public function set_parent_id( $id ) { $this->parent_id = (int) $id; }
	public function get_meta( $key = '', $single = true, $context = 'view' ) { return $this->meta[ $key ] ?? ''; }
	public function get_meta_data() { return array_map( static fn( $key, $value ) => (object) compact( 'key', 'value' ), array_keys( $this->meta ), $this->meta ); }

	public function update_meta_data( $key, $value ) {
		if ( ! array_key_exists( $key, $this->meta ) || $this->meta[ $key ] !== $value ) {
			$this->meta[ $key ] = $this->changed[ $key ] = $value;
		}
	}

	public function save_meta_data() {
		foreach ( $this->changed as $key => $value ) {
			Stand_In_Store::set_meta( $this->id, $key, $value );
		}
		$this->changed = [];
	}

	public function read_meta_data( $force = false ) { $this->meta = $this->changed + Stand_In_Store::meta( $this->id ); }

	public function save() {
		if ( ! $this->id ) {
			$this->id = Stand_In_Store::insert( static::TYPE, "wc-$this->status", $this->parent_id );
		}
		$this->save_meta_data();
		WC_Cache_Helper::invalidate_cache_group( 'orders' );
		return $this->id;
	}

	public function delete( $force = false ) {
		Stand_In_Store::delete( $this->id );
		WC_Cache_Helper::invalidate_cache_group( 'orders' );
		do_action( static::TYPE === 'shop_order' ? 'woocommerce_delete_order' : 'woocommerce_delete_order_refund', $this->id );
		$this->id = 0;
		return true;
	}
}

class WC_Order extends WC_Abstract_Order {
	protected const TYPE = 'shop_order';
	private ?array $change = null;

	/** https://developer.woocommerce.com/docs/hpos-extension-recipe-book (moves to the trash, unless forced) */
	public function delete( $force = false ) {
		if ( $force ) {
			do_action( 'woocommerce_before_delete_order', $this->id, $this );
			return parent::delete( true );
		}
		Stand_In_Store::set_status( $this->id, 'trash' );
		do_action( 'woocommerce_trash_order', $this->id );
		return true;
	}

	public function get_status( $context = 'view' ) { return $this->status; }
	public function has_status( $status ) { return in_array( $this->status, (array) $status, true ); }
	public function get_order_number() { return (string) apply_filters( 'woocommerce_order_number', (string) $this->id, $this ); }
	public function is_paid() { return $this->has_status( wc_get_is_paid_statuses() ); }
	public function get_date_paid( $context = 'view' ) { return ( $time = $this->get_meta( '_date_paid' ) ) ? new DateTime( "@$time" ) : null; }
	public function set_date_paid( $time ) { $this->update_meta_data( '_date_paid', (string) $time ); }
	public function get_total_refunded() { return array_sum( array_map( static fn( $refund ) => (float) $refund->get_amount(), $this->get_refunds() ) ); }
	public function get_remaining_refund_amount() { return wc_format_decimal( (float) $this->get_total() - $this->get_total_refunded(), 2 ); }

	public function get_refunds() {
		$key = WC_Cache_Helper::get_cache_prefix( 'orders' ) . "refunds$this->id";
		$ids = wp_cache_get( $key, 'orders' );
		if ( false === $ids ) {
			$ids = Stand_In_Store::find( 'shop_order_refund', $this->id );
			wp_cache_set( $key, $ids, 'orders' );
		}
		return array_map( static fn( $id ) => new WC_Order_Refund( $id ), $ids );
	}

	public function get_formatted_billing_full_name() { return trim( "{$this->get_billing_first_name()} {$this->get_billing_last_name()}" ); }
	public function key_is_valid( $key ) { return hash_equals( (string) $this->get_order_key(), (string) $key ); }
	public function get_edit_order_url() { return admin_url( Stand_In_Store::is_hpos() ? "admin.php?page=wc-orders&action=edit&id=$this->id" : "post.php?post=$this->id&action=edit" ); }

	public function needs_payment() {
		$statuses = apply_filters( 'woocommerce_valid_order_statuses_for_payment', [ 'pending', 'failed' ], $this );
		return apply_filters( 'woocommerce_order_needs_payment', $this->has_status( $statuses ) && $this->get_total() > 0, $this, $statuses );
	}

	public function get_checkout_order_received_url() {
		return apply_filters( 'woocommerce_get_checkout_order_received_url', add_query_arg( 'key', $this->get_order_key(), wc_get_endpoint_url( 'order-received', $this->id, wc_get_checkout_url() ) ), $this );
	}

	public function get_checkout_payment_url( $on_checkout = false ) {
		$query = $on_checkout ? [ 'key' => $this->get_order_key() ] : [ 'pay_for_order' => 'true', 'key' => $this->get_order_key() ];
		return apply_filters( 'woocommerce_get_checkout_payment_url', add_query_arg( $query, wc_get_endpoint_url( 'order-pay', $this->id, wc_get_checkout_url() ) ), $this );
	}

	public function set_status( $status, $note = '', $manual = false ) {
		$status = preg_replace( '/^wc-/', '', $status );
		if ( $status !== $this->status ) {
			$this->change = [ $this->change[0] ?? $this->status, $status, $note ];
			$this->status = $status;
		}
		if ( in_array( $status, wc_get_is_paid_statuses(), true ) && ! $this->get_date_paid() ) {
			$this->set_date_paid( time() );
		}
	}

	/** Saves first, then runs the hooks of the change and adds its note. */
	public function save() {
		$is_new = ! $this->id;
		parent::save();
		if ( $this->change ) {
			[ $from, $to, $note ] = $this->change;
			$this->change         = null;
			Stand_In_Store::set_status( $this->id, "wc-$to" );
			do_action( "woocommerce_order_status_$to", $this->id, $this, [] );
			if ( ! $is_new ) {
				$this->add_order_note( trim( "$note Order status changed from $from to $to." ) );
				do_action( "woocommerce_order_status_{$from}_to_$to", $this->id, $this );
				do_action( 'woocommerce_order_status_changed', $this->id, $from, $to, $this );
			}
		}
		do_action( $is_new ? 'woocommerce_new_order' : 'woocommerce_update_order', $this->id, $this );
		return $this->id;
	}

	public function update_status( $status, $note = '', $manual = false ) {
		$this->set_status( $status, $note, $manual );
		$this->save();
		return true;
	}

	public function payment_complete( $transaction_id = '' ) {
		try {
			do_action( 'woocommerce_pre_payment_complete', $this->id, $transaction_id );
			$statuses = apply_filters( 'woocommerce_valid_order_statuses_for_payment_complete', [ 'on-hold', 'pending', 'failed', 'cancelled' ], $this );
			if ( ! $this->has_status( $statuses ) ) {
				do_action( "woocommerce_payment_complete_order_status_$this->status", $this->id, $transaction_id );
				return true;
			}
			'' === $transaction_id || $this->set_transaction_id( $transaction_id );
			$this->get_date_paid() || $this->set_date_paid( time() );
			$this->set_status( apply_filters( 'woocommerce_payment_complete_order_status', 'processing', $this->id, $this ) );
			$this->save();
			do_action( 'woocommerce_payment_complete', $this->id, $transaction_id );
			return true;
		} catch ( Exception $error ) {
			$this->add_order_note( 'Payment complete event failed. ' . $error->getMessage() );
			return false;
		}
	}

	/** https://woocommerce.github.io/code-reference/files/woocommerce-includes-wc-order-functions.html (notes are comments) */
	public function add_order_note( $note, $is_customer_note = 0, $by_user = false ) {
		return (int) wp_insert_comment( [ 'comment_post_ID' => $this->id, 'comment_content' => $note, 'comment_type' => 'order_note', 'comment_approved' => 1, 'comment_agent' => 'WooCommerce' ] );
	}
}

/** https://woocommerce.github.io/code-reference/files/woocommerce-includes-wc-order-functions.html */
function wc_get_order( $id = false ) {
	$id  = $id instanceof WP_Post ? $id->ID : ( $id instanceof WC_Abstract_Order ? $id->get_id() : (int) $id );
	$row = Stand_In_Store::row( $id );
	if ( ! $row ) {
		return false;
	}
	return 'shop_order_refund' === $row['type'] ? new WC_Order_Refund( $id ) : new WC_Order( $id );
}

function wc_create_order( $args = [] ) {
	$order = new WC_Order();
	$order->update_meta_data( '_currency', get_woocommerce_currency() );
	$order->update_meta_data( '_order_key', 'wc_order_' . wp_generate_password( 13, false ) );
	$order->save();
	return $order;
}

function wc_get_order_notes( array $args ) {
	$notes = get_comments( [ 'post_id' => $args['order_id'], 'type' => 'order_note', 'orderby' => 'comment_ID', 'order' => 'ASC' ] );
	return array_map( static fn( $note ) => (object) [ 'id' => (int) $note->comment_ID, 'content' => $note->comment_content ], $notes );
}

function wc_get_order_statuses() {
	$names = [ 'pending' => 'Pending payment', 'processing' => 'Processing', 'on-hold' => 'On hold', 'completed' => 'Completed', 'cancelled' => 'Cancelled', 'refunded' => 'Refunded', 'failed' => 'Failed' ];
	return array_combine( array_map( static fn( $name ) => "wc-$name", array_keys( $names ) ), $names );
}

function wc_get_is_paid_statuses() { return apply_filters( 'woocommerce_order_is_paid_statuses', [ 'processing', 'completed' ] ); }

// Notes are internal: pages and feeds of comments must not show them.
add_filter( 'comments_clauses', static function ( array $clauses, $query ): array {
	'order_note' === $query->query_vars['type'] || $clauses['where'] .= " AND comment_type != 'order_note'";
	return $clauses;
}, 10, 2 );
