<?php
// Fills the shop of the first argument: tables, pages, a product, and the rules of its addresses.
$_SERVER['HTTP_HOST'] = '127.0.0.1';
require $argv[1] . '/wp-load.php';
Stand_In_Store::install();
$page = static fn( string $title, string $code ) => wp_insert_post( [ 'post_type' => 'page', 'post_status' => 'publish', 'post_title' => $title, 'post_content' => $code ] );
update_option( 'woocommerce_checkout_page_id', $page( 'Checkout', '[woocommerce_checkout]' ) );
$page( 'Blocks', '[stand_in_blocks]' );
$product = wp_insert_post( [ 'post_type' => 'product', 'post_status' => 'publish', 'post_title' => 'Café da Gabela' ] );
update_post_meta( $product, '_price', '1500.00' );
update_post_meta( $product, '_stock', '100000' );
update_option( 'stand_in_product', $product );
update_option( 'woocommerce_currency', 'AOA' );
do_action( 'activate_balcao/balcao.php' );
flush_rewrite_rules( false );
