<?php
// A payment link on any page, as the shortcode `[balcao_link id="…"]` or a block. Both work without WooCommerce.

defined( 'ABSPATH' ) || exit;

add_action( 'init', 'balcao_register_link' );

function balcao_register_link(): void {
	add_shortcode( 'balcao_link', static fn( $attributes ) => balcao_show_link( (array) $attributes ) );
	wp_register_script( 'balcao-link-block', plugins_url( 'assets/link-block.js', BALCAO_FILE ), [ 'wp-blocks', 'wp-element', 'wp-components', 'wp-block-editor', 'wp-server-side-render' ], BALCAO_VERSION, true );
	$texts = [
		'title'   => __( 'Payment link', 'balcao' ),
		'about'   => __( 'A button that opens a payment link of Balcão.', 'balcao' ),
		'id'      => __( 'Address or code of the link', 'balcao' ),
		'hint'    => __( 'The last part of its address, or the whole address: https://pay.example/l/…', 'balcao' ),
		'text'    => __( 'Text of the button', 'balcao' ),
		'qr'      => __( 'Show a QR code', 'balcao' ),
		'missing' => __( 'Type the code of a payment link in the settings of this block.', 'balcao' ),
	];
	wp_localize_script( 'balcao-link-block', 'balcaoLinkTexts', $texts );
	register_block_type( 'balcao/link', [
		'api_version'     => 2,
		'editor_script'   => 'balcao-link-block',
		'render_callback' => static fn( $attributes ) => balcao_show_link( (array) $attributes ),
		'supports'        => [ 'align' => true, 'html' => false ],
		'attributes'      => [
			'id'   => [ 'type' => 'string', 'default' => '' ],
			'text' => [ 'type' => 'string', 'default' => '' ],
			'qr'   => [ 'type' => 'boolean', 'default' => false ],
		],
	] );
}

/** The link as a button, with its QR code on request. A page author may name a whole address, without any settings. */
function balcao_show_link( array $attributes ): string {
	$attributes += [ 'id' => '', 'text' => '', 'qr' => '' ];
	$address     = balcao_link_address( trim( (string) $attributes['id'] ) );
	if ( '' === $address ) {
		$is_author = current_user_can( 'edit_posts' );
		return $is_author ? '<p>' . esc_html__( 'This payment link has no valid address or code.', 'balcao' ) . '</p>' : '';
	}
	$text = '' === $attributes['text'] ? __( 'Pay', 'balcao' ) : (string) $attributes['text'];
	$html = sprintf(
		'<p><a class="wp-block-button__link wp-element-button" style="display:inline-block" href="%s">%s</a></p>',
		esc_url( $address ),
		esc_html( $text )
	);
	if ( in_array( $attributes['qr'], [ true, 1, '1', 'yes', 'true', 'sim' ], true ) ) {
		$html .= sprintf(
			'<figure class="wp-block-image"><img src="%s" alt="%s" width="200" height="200" loading="lazy"></figure>',
			esc_url( "$address/qr.svg" ),
			esc_attr__( 'QR code of the payment link', 'balcao' )
		);
	}
	return '<div class="balcao-link">' . $html . '</div>';
}

/** The address of a link by its whole address, or by its code and the gateway of the settings. '' if there is none. */
function balcao_link_address( string $id ): string {
	if ( preg_match( '#^https?://[^/\s"<>]+/l/[a-z0-9]{4,20}$#i', $id ) ) {
		return $id;
	}
	$url = rtrim( (string) balcao_settings()['url'], '/' );
	return '' !== $url && preg_match( '/^[a-z0-9]{4,20}$/i', $id ) ? "$url/l/$id" : '';
}
