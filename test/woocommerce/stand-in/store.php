<?php
/**
 * Two storages of orders: tables of their own (HPOS) and posts. The option chooses.
 * https://developer.woocommerce.com/docs/hpos-extension-recipe-book
 */

namespace Automattic\WooCommerce\Utilities {
	/** https://developer.woocommerce.com/docs/hpos-extension-recipe-book (declaring compatibility) */
	final class FeaturesUtil {
		public static function declare_compatibility( string $feature, string $file, bool $is_compatible = true ): bool {
			return 'woocommerce' !== $feature;
		}
	}

}

namespace {
	/** Rows and meta of orders and refunds. */
	final class Stand_In_Store {
		/** Rows and meta that this process has read, as with the feature “HPOS data caching”. */
		private static array $read = [];

		public static function clear_cached_data( array $ids ): void { self::$read = array_diff_key( self::$read, array_flip( $ids ) ); }

		public static function is_hpos(): bool {
			return 'yes' === get_option( 'woocommerce_custom_orders_table_enabled', 'yes' );
		}

		public static function install(): void {
			global $wpdb;
			$wpdb->query( "CREATE TABLE IF NOT EXISTS {$wpdb->prefix}wc_orders (id bigint PRIMARY KEY, type varchar(20), status varchar(20), parent_order_id bigint, date_created_gmt datetime)" );
			$wpdb->query( "CREATE TABLE IF NOT EXISTS {$wpdb->prefix}wc_orders_meta (id bigint AUTO_INCREMENT PRIMARY KEY, order_id bigint, meta_key varchar(255), meta_value longtext, KEY k (order_id), KEY v (meta_key(60), meta_value(60)))" );
		}

		public static function insert( string $type, string $status, int $parent ): int {
			global $wpdb;
			$is_hpos = self::is_hpos();
			$id      = wp_insert_post( [
				'post_type'   => $is_hpos ? 'shop_order_placehold' : $type,
				'post_status' => $is_hpos ? 'draft' : $status,
				'post_parent' => $parent,
				'post_title'  => $type,
			] );
			$row = [ 'id' => $id, 'type' => $type, 'status' => $status, 'parent_order_id' => $parent, 'date_created_gmt' => gmdate( 'Y-m-d H:i:s' ) ];
			$is_hpos && $wpdb->insert( $wpdb->prefix . 'wc_orders', $row );
			return $id;
		}

		/** @return array{type: string, status: string, parent: int}|null */
		public static function row( int $id ): ?array {
			global $wpdb;
			if ( self::is_hpos() ) {
				$row = self::$read[ $id ]['row'] ??= $wpdb->get_row( $wpdb->prepare( "SELECT type, status, parent_order_id AS parent FROM {$wpdb->prefix}wc_orders WHERE id = %d", $id ), ARRAY_A );
				return $row ? [ 'parent' => (int) $row['parent'] ] + $row : null;
			}
			$post = get_post( $id );
			return $post && 0 === strpos( $post->post_type, 'shop_order' )
				? [ 'type' => $post->post_type, 'status' => $post->post_status, 'parent' => $post->post_parent ] : null;
		}

		public static function set_status( int $id, string $status ): void {
			global $wpdb;
			self::clear_cached_data( [ $id ] );
			self::is_hpos() ? $wpdb->update( $wpdb->prefix . 'wc_orders', [ 'status' => $status ], [ 'id' => $id ] )
				: wp_update_post( [ 'ID' => $id, 'post_status' => $status ] );
		}

		public static function meta( int $id ): array {
			global $wpdb;
			if ( self::is_hpos() ) {
				$rows = self::$read[ $id ]['meta'] ??= $wpdb->get_results( $wpdb->prepare( "SELECT meta_key, meta_value FROM {$wpdb->prefix}wc_orders_meta WHERE order_id = %d ORDER BY id", $id ), ARRAY_A );
				return array_map( 'maybe_unserialize', array_column( $rows, 'meta_value', 'meta_key' ) );
			}
			return array_map( static fn( $values ) => maybe_unserialize( end( $values ) ), (array) get_post_meta( $id ) );
		}

		public static function set_meta( int $id, string $key, $value ): void {
			global $wpdb;
			self::clear_cached_data( [ $id ] );
			if ( ! self::is_hpos() ) {
				null === $value ? delete_post_meta( $id, $key ) : update_post_meta( $id, $key, wp_slash( $value ) );
				return;
			}
			$table = $wpdb->prefix . 'wc_orders_meta';
			$where = [ 'order_id' => $id, 'meta_key' => $key ];
			if ( null === $value ) {
				$wpdb->delete( $table, $where );
			} elseif ( $wpdb->get_var( $wpdb->prepare( "SELECT id FROM $table WHERE order_id = %d AND meta_key = %s", $id, $key ) ) ) {
				$wpdb->update( $table, [ 'meta_value' => maybe_serialize( $value ) ], $where );
			} else {
				$wpdb->insert( $table, $where + [ 'meta_value' => maybe_serialize( $value ) ] );
			}
		}

		public static function delete( int $id ): void {
			global $wpdb;
			self::clear_cached_data( [ $id ] );
			$wpdb->delete( $wpdb->prefix . 'wc_orders', [ 'id' => $id ] );
			$wpdb->delete( $wpdb->prefix . 'wc_orders_meta', [ 'order_id' => $id ] );
			wp_delete_post( $id, true );
		}

		/** Ids of this type, newest first. `$search` must occur in one of `$keys`. */
		public static function find( string $type, int $parent = 0, string $search = '', array $keys = [] ): array {
			global $wpdb;
			[ $table, $id, $kind, $up, $metas, $of ] = self::is_hpos()
				? [ $wpdb->prefix . 'wc_orders', 'id', 'type', 'parent_order_id', $wpdb->prefix . 'wc_orders_meta', 'order_id' ]
				: [ $wpdb->posts, 'ID', 'post_type', 'post_parent', $wpdb->postmeta, 'post_id' ];
			$where = [ $wpdb->prepare( "$kind = %s", $type ) ];
			$parent && $where[] = "$up = $parent";
			if ( '' !== $search ) {
				$in      = implode( ',', array_map( static fn( $key ) => $wpdb->prepare( '%s', $key ), $keys ?: [ '' ] ) );
				$where[] = $wpdb->prepare( "(o.$id = %d OR EXISTS (SELECT 1 FROM $metas m WHERE m.$of = o.$id AND m.meta_key IN ($in) AND m.meta_value LIKE %s))", $search, '%' . $wpdb->esc_like( $search ) . '%' );
			}
			return array_map( 'intval', $wpdb->get_col( "SELECT o.$id FROM $table o WHERE " . implode( ' AND ', $where ) . " ORDER BY o.$id DESC LIMIT 100" ) );
		}
	}

	/** https://woocommerce.github.io/code-reference/classes/WC-Data-Store.html */
	final class WC_Data_Store {
		public static function load( $type ) { return new Stand_In_Store(); }
	}

	/** https://woocommerce.github.io/code-reference/classes/WC-Cache-Helper.html */
	final class WC_Cache_Helper {
		private static array $serials = [];

		public static function get_cache_prefix( $group ) { return "wc_{$group}_" . ( self::$serials[ $group ] ?? 0 ) . '_'; }
		public static function invalidate_cache_group( $group ) { self::$serials[ $group ] = ( self::$serials[ $group ] ?? 0 ) + 1; }
	}

	add_action( 'init', static function (): void {
		foreach ( [ 'shop_order', 'shop_order_refund', 'shop_order_placehold' ] as $type ) {
			register_post_type( $type, [ 'public' => false, 'label' => $type, 'show_ui' => 'shop_order' === $type && ! Stand_In_Store::is_hpos(), 'show_in_menu' => 'woocommerce' ] );
		}
		register_post_type( 'product', [ 'public' => true, 'label' => 'Products' ] );
		foreach ( array_keys( wc_get_order_statuses() ) as $status ) {
			register_post_status( $status, [ 'public' => true ] );
		}
	}, 5 );
}
